import { InFlight } from 'pegboard';

interface Entry<T> {
  readonly number: number;
  readonly item: T;
  readonly dueAt: number;
}

/** What may take so long and no longer, with one timer for all of it. */
export class Deadlines<T> {
  readonly #ms: () => number;
  readonly #late: (item: T) => void;
  readonly #entries = new InFlight<Entry<T>>();
  #timer: NodeJS.Timeout | undefined;

  /** @param late is told of each that is not taken out in time */
  constructor(ms: () => number, late: (item: T) => void) {
    this.#ms = ms;
    this.#late = late;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @returns the function that takes it out; safe twice */
  add(item: T): () => void {
    const ms = this.#ms();
    const { number } = this.#entries.add((id) => ({ number: id, item, dueAt: performance.now() + ms }));
    this.#timer ??= setTimeout(() => this.#sweep(), ms);
    return () => void this.#entries.delete(number);
  }

  /** The one that has been in longest is late now. */
  hurry(): void {
    const [oldest] = this.#entries.values();
    if (oldest === undefined) return;
    this.#entries.delete(oldest.number);
    this.#late(oldest.item);
  }

  /** Nobody is told any more. Safe twice. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const { number, item, dueAt } of this.#entries.values()) {
      if (dueAt > now) {
        this.#timer ??= setTimeout(() => this.#sweep(), dueAt - now);
        return;
      }
      this.#entries.delete(number);
      this.#late(item);
    }
  }
}
