/** Waits for conditions that hold after a `wake`. */
export class Waits {
  readonly #waiting = new Set<() => void>();

  /** Resolves once the condition holds, at most after `withinMs`. */
  until(isDone: () => boolean, withinMs: number): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isDone()) end();
      };
      const timer = setTimeout(end, withinMs);
      this.#waiting.add(look);
    });
  }

  wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}
