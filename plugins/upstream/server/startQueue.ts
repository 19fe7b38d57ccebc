/** One start among others. */
export interface Turn {
  /** Resolves when the start may begin. */
  readonly come: Promise<void>;
  /** The start has ended, or is not wanted any more. Safe twice. */
  end(): void;
}

/** Lets so many servers start at a time: all at once would time one another out. */
export class StartQueue {
  readonly #max: () => number;
  readonly #passOnMs: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #isOpen = false;

  /** @param passOnMs how long a start keeps the next one waiting at most: one that hangs must not hold the others up */
  constructor(max: () => number, passOnMs = 5_000) {
    this.#max = max;
    this.#passOnMs = passOnMs;
  }

  turn(): Turn {
    let isOver = false;
    let passOn: NodeJS.Timeout | undefined;
    let begin: (() => void) | undefined;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(passOn);
      if (begin !== undefined && this.#waiting.delete(begin)) begin();
      else this.#running -= 1;
      this.#next();
    };
    const come = new Promise<void>((resolve) => {
      begin = () => {
        if (!isOver) {
          this.#running += 1;
          passOn = setTimeout(end, this.#passOnMs).unref();
        }
        resolve();
      };
      this.#waiting.add(begin);
    });
    this.#next();
    return { come, end };
  }

  /** From now on nothing waits. */
  open(): void {
    this.#isOpen = true;
    this.#next();
  }

  #next(): void {
    for (const begin of this.#waiting) {
      if (!this.#isOpen && this.#running >= this.#max()) return;
      this.#waiting.delete(begin);
      begin();
    }
  }
}
