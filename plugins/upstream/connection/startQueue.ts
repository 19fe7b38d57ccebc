/** The place of one start in the queue. */
export interface StartTurn {
  /** Resolves when the start may begin. */
  readonly come: Promise<void>;
  /** Whether it has to wait now. */
  readonly isWaiting: boolean;
  /** Begins at once, also beyond the limit. */
  hurry(): void;
  /** The start has ended or was cancelled. Safe to call twice. */
  end(): void;
}

/** Limits concurrent starts: starting all servers at once would exceed their time-outs. */
export class StartQueue {
  readonly #max: () => number;
  readonly #passOnMs: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #isOpen = false;

  /** @param passOnMs how long a start blocks the next one at most: a start that hangs must not delay the others */
  constructor(max: () => number, passOnMs = 5_000) {
    this.#max = max;
    this.#passOnMs = passOnMs;
  }

  turn(): StartTurn {
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
    const isWaiting = (): boolean => begin !== undefined && this.#waiting.has(begin);
    const hurry = (): void => {
      if (begin !== undefined && this.#waiting.delete(begin)) begin();
    };
    return {
      come,
      end,
      hurry,
      get isWaiting() {
        return isWaiting();
      },
    };
  }

  /** Starts everything that waits, and makes later starts wait no longer. */
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
