/** Entries that are added and removed with every call, by ascending numbers. Not a Map: a Map that lives long moves every
 *  entry it ever had into the old generation, because its outgrown tables point to their successors (decision D55). */
export class InFlight<T> {
  readonly #byNumber = Object.create(null) as Record<number, T | undefined>;
  #last = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param make creates the entry from its number @returns the entry */
  add(make: (number: number) => T): T {
    const number = ++this.#last;
    const entry = make(number);
    this.#byNumber[number] = entry;
    this.#size += 1;
    return entry;
  }
  get(number: number): T | undefined {
    return this.#byNumber[number];
  }
  delete(number: number): boolean {
    if (this.#byNumber[number] === undefined) return false;
    Reflect.deleteProperty(this.#byNumber, number);
    this.#size -= 1;
    return true;
  }
  /** Oldest first. */
  values(): readonly T[] {
    return Object.values(this.#byNumber) as T[];
  }
}
