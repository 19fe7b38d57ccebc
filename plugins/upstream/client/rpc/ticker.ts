/** Has time-outs that the ticker checks. */
export interface Sweepable {
  /** @returns false if no time-out is left to check */
  sweep(now: number): boolean;
}

/** One coarse timer for all calls: a timer per call would cost more than the call's own bookkeeping. */
export class Ticker {
  readonly #watched = new Set<Sweepable>();
  readonly #tickMs: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(tickMs: () => number) {
    this.#tickMs = tickMs;
  }

  watch(sweepable: Sweepable): void {
    this.#watched.add(sweepable);
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
  }

  #tick(): void {
    const now = performance.now();
    for (const sweepable of this.#watched) if (!sweepable.sweep(now)) this.#watched.delete(sweepable);
    if (this.#watched.size === 0) this.stop();
  }
}

/** @throws `late()` if `work` takes longer */
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
