/** How many of the latest entries have a slot of their own: more than usually run at once. A power of two. */
const SLOTS = 128;

interface Slot<T> {
  readonly number: number;
  readonly entry: T;
}

/** Entries that are added and removed with every call, by ascending numbers. Not a Map: a Map that lives long moves every
 *  entry it ever had into the old generation, because its outgrown tables point to their successors (decision D55). */
export class InFlight<T> {
  readonly #slots = new Array<Slot<T> | undefined>(SLOTS).fill(undefined);
  /** Entries whose slot a later one needed, by number. */
  readonly #moved = Object.create(null) as Record<number, Slot<T> | undefined>;
  #last = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param make creates the entry from its number @returns the entry */
  add(make: (number: number) => T): T {
    const number = ++this.#last;
    const entry = make(number);
    this.put(number, entry);
    return entry;
  }
  /** @param number a whole number that no entry has */
  put(number: number, entry: T): void {
    const former = this.#slots[number % SLOTS];
    if (former !== undefined) this.#moved[former.number] = former;
    this.#slots[number % SLOTS] = { number, entry };
    this.#size += 1;
  }
  get(number: number): T | undefined {
    const slot = this.#slots[number % SLOTS];
    return (slot?.number === number ? slot : this.#moved[number])?.entry;
  }
  delete(number: number): boolean {
    if (this.#slots[number % SLOTS]?.number === number) this.#slots[number % SLOTS] = undefined;
    else if (this.#moved[number] === undefined) return false;
    else Reflect.deleteProperty(this.#moved, number);
    this.#size -= 1;
    return true;
  }
  /** Oldest first. */
  values(): readonly T[] {
    const slots = [...Object.values(this.#moved), ...this.#slots].filter((slot) => slot !== undefined);
    return slots.sort((a, b) => a.number - b.number).map(({ entry }) => entry);
  }
}
