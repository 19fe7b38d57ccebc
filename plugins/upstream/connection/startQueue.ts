/** The place of one start in the queue. */
export interface StartTurn {
  /** Resolves when the start may begin. */
  readonly come: Promise<void>;
  /** Whether it has to wait now. */
  readonly isWaiting: boolean;
  /** Begins at once, also beyond the limit, unless one of its key runs. */
  hurry(): void;
  /** The start has ended or was cancelled. Safe to call twice. */
  end(): void;
}

interface Waiting {
  key: string | undefined;
  isHurried: boolean;
  begin: () => void;
}

/** Limits concurrent starts: starting all servers at once would exceed their time-outs. */
export class StartQueue {
  readonly #max: () => number;
  readonly #passOnMs: number;
  readonly #waiting = new Set<Waiting>();
  /** Keys of the starts that run. */
  readonly #busy = new Set<string>();
  #running = 0;
  #isOpen = false;

  /** @param passOnMs how long a start blocks the next one at most: a start that hangs must not delay the others */
  constructor(max: () => number, passOnMs = 5_000) {
    this.#max = max;
    this.#passOnMs = passOnMs;
  }

  /** @param key starts of the same one run one after another */
  turn(key?: string): StartTurn {
    let isOver = false;
    let passOn: NodeJS.Timeout | undefined;
    let come: () => void = () => undefined;
    const start: Waiting = { key, isHurried: false, begin: () => undefined };
    const isWaiting = (): boolean => this.#waiting.has(start);
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(passOn);
      if (this.#waiting.delete(start)) come();
      else {
        this.#running -= 1;
        if (start.key !== undefined) this.#busy.delete(start.key);
      }
      this.#next();
    };
    start.begin = () => {
      this.#waiting.delete(start);
      this.#running += 1;
      if (start.key !== undefined) this.#busy.add(start.key);
      passOn = setTimeout(end, this.#passOnMs).unref();
      come();
    };
    const coming = new Promise<void>((resolve) => (come = resolve));
    this.#waiting.add(start);
    this.#next();
    return {
      come: coming,
      end,
      hurry: () => {
        start.isHurried = true;
        this.#next();
      },
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

  /** Starts everything of the key that waits: it has nothing to wait for any more. */
  release(key: string): void {
    for (const start of this.#waiting) {
      if (start.key === key) [start.key, start.isHurried] = [undefined, true];
    }
    this.#next();
  }

  #next(): void {
    for (const { key, isHurried, begin } of this.#waiting) {
      const isFree = this.#isOpen || isHurried || this.#running < this.#max();
      if (isFree && (key === undefined || !this.#busy.has(key))) begin();
    }
  }
}
