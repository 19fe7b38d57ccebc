/** What goes on from one wait to the next may take so long. */
const SLICE_MS = 10;

/** Lets long work go on in pieces: each turn of the event loop runs one piece, however many wait, and whoever else there is
 *  is served in between. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #now: () => number;
  /** When somebody first went on in this turn. */
  #since: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether work of unknown length waits for the next turn, as this one has lasted. To be asked right before it, and again
   *  after the wait: several that wait for one thing go on in one turn. */
  get isDue(): boolean {
    const now = this.#now();
    if (this.#since === undefined) this.#begin(now);
    return now - (this.#since ?? now) >= SLICE_MS;
  }

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
    this.#begin(this.#now());
    if (this.#waiting.length > 0) setImmediate(() => this.#grant());
    first?.();
  }

  #begin(now: number): void {
    this.#since = now;
    setImmediate(() => (this.#since = undefined));
  }
}
