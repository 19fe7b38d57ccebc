/** A cheaper AbortSignal: one object per call, nothing allocated until a listener is added. */
export class Cancellation {
  #reason: string | undefined;
  #listeners: Set<(reason: string) => void> | undefined;

  /** Why it was cancelled; undefined until then. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Only the first call counts. */
  cancel(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener(reason);
  }

  /** Calls `listener` once, immediately if already cancelled. @returns the function that removes the listener */
  onCancel(listener: (reason: string) => void): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason);
      return () => undefined;
    }
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }
}
