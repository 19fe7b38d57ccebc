import { InFlight } from '../../../kit/limits/inFlight.ts';

interface Entry<T> {
  readonly number: number;
  readonly item: T;
  readonly dueAt: number;
}

/** Items with the same time limit, and one timer for all of them. */
export class Deadlines<T> {
  readonly #ms: () => number;
  readonly #late: (item: T) => void;
  readonly #entries = new InFlight<Entry<T>>();
  #timer: NodeJS.Timeout | undefined;

  /** @param late is called with each item that is not removed in time */
  constructor(ms: () => number, late: (item: T) => void) {
    this.#ms = ms;
    this.#late = late;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @returns the function that removes the item; safe to call twice */
  add(item: T): () => void {
    const ms = this.#ms();
    const { number } = this.#entries.add((id) => ({ number: id, item, dueAt: performance.now() + ms }));
    this.#timer ??= setTimeout(() => this.#sweep(), ms);
    return () => void this.#entries.delete(number);
  }

  /** Expires the oldest item now. */
  hurry(): void {
    const [oldest] = this.#entries.values();
    if (oldest === undefined) return;
    this.#entries.delete(oldest.number);
    this.#late(oldest.item);
  }

  /** Stops the timer: no item expires any more. Safe to call twice. */
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
