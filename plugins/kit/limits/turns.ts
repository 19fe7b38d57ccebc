/** Longest time, in ms, for which work continues in one turn. */
const SLICE_MS = 10;

/** Splits long work into pieces: each turn of the event loop runs one piece, however many wait, so that other events are
 *  handled in between. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #now: () => number;
  /** When work first continued in this turn. */
  #since: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether this turn has lasted long enough that work of unknown length must wait for the next. Check it right before the
   *  work, and again after the wait: several waiters may resume in the same turn. */
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

  /** Runs work to its end. @param work yields after each piece; a piece should take a few milliseconds at most */
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
