/** Waits until nothing is running. */
export class Drain {
  readonly #isIdle: () => boolean;
  #whenIdle: (() => void) | undefined;

  constructor(isIdle: () => boolean) {
    this.#isIdle = isIdle;
  }

  /** Something has ended. */
  look(): void {
    if (this.#whenIdle !== undefined && this.#isIdle()) this.#whenIdle();
  }

  /** Resolves when nothing is running, or after `ms`. One at a time. */
  drained(ms: number): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#whenIdle = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#whenIdle = end;
    });
  }
}
