import type { EventEntry } from './entryReader.ts';

/** The newest entries in memory. */
export class Ring {
  #entries: EventEntry[] = [];
  readonly #max: () => number;

  constructor(max: () => number) {
    this.#max = max;
  }

  add(entry: EventEntry): void {
    this.#entries.push(entry);
    // Copying the array at every entry would cost time proportional to its size.
    if (this.#entries.length >= 2 * this.#max()) this.#entries = this.#entries.slice(-this.#max());
  }

  get newestFirst(): readonly EventEntry[] {
    return this.#entries.slice(-this.#max()).reverse();
  }
}
