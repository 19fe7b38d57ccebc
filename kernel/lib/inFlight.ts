/** How many of the latest entries have a slot of their own: more than usually run at once. */
const SLOTS = 128;

interface Slot<T> {
  number: number;
  entry: T | undefined;
}

/** Entries that are added and removed with every call, by ascending numbers. Not a Map: a Map that lives long moves every
 *  entry it ever had into the old generation, because its outgrown tables point to their successors (decision D55). */
export class InFlight<T> {
  readonly #slots: readonly Slot<T>[] = Array.from({ length: SLOTS }, () => ({
    number: 0,
    entry: undefined,
  }));
  /** Entries whose slot a later one needed. */
  readonly #moved = Object.create(null) as Record<number, T | undefined>;
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
  /** @param number a whole number above those of all entries before it */
  put(number: number, entry: T): void {
    const slot = this.#slotOf(number);
    if (slot.entry !== undefined) this.#moved[slot.number] = slot.entry;
    slot.number = number;
    slot.entry = entry;
    this.#last = number;
    this.#size += 1;
  }
  get(number: number): T | undefined {
    const slot = this.#slotOf(number);
    return slot.number === number ? slot.entry : this.#moved[number];
  }
  delete(number: number): boolean {
    if (this.get(number) === undefined) return false;
    const slot = this.#slotOf(number);
    if (slot.number === number) slot.entry = undefined;
    else Reflect.deleteProperty(this.#moved, number);
    this.#size -= 1;
    return true;
  }
  /** Oldest first. */
  values(): readonly T[] {
    const moved = Object.entries(this.#moved).map(([number, entry]) => ({ number: Number(number), entry }));
    return [...moved, ...this.#slots]
      .filter(({ entry }) => entry !== undefined)
      .sort((a, b) => a.number - b.number)
      .map(({ entry }) => entry as T);
  }

  /** Any value has one: the number in it decides. */
  #slotOf(number: number): Slot<T> {
    return this.#slots[number & (SLOTS - 1)] as Slot<T>;
  }
}
