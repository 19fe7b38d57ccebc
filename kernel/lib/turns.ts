/** Lets long work go on in pieces: each turn of the event loop runs one piece, however many wait, and whoever else there is
 *  is served in between. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn in which no other piece runs. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#grant());
    });
  }

  /** Runs work to its end. @param work yields where a piece ends; a piece is to take a few milliseconds at most */
  async run<T>(work: Iterator<unknown, T>): Promise<T> {
    for (;;) {
      await this.next();
      const step = work.next();
      if (step.done === true) return step.value;
    }
  }

  #grant(): void {
    const first = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#grant());
    first?.();
  }
}
