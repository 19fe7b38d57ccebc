type Entries = ReadonlyMap<string, object>;
/** What became of the names of a list. */
export interface Difference {
  readonly added: readonly string[];
  /** Names with another entry. */
  readonly replaced: readonly string[];
  readonly removed: readonly string[];
}
const NONE: Difference = { added: [], replaced: [], removed: [] };

/** The differences of lists; each is kept, because both who has a name and the events follow from it. */
export class Differences {
  readonly #known = new WeakMap<
    Entries,
    { readonly before: WeakRef<Entries> | undefined; readonly difference: Difference }
  >();

  of(before: Entries | undefined, next: Entries | undefined): Difference {
    if (before === next) return NONE;
    if (next === undefined) return { ...NONE, removed: [...(before?.keys() ?? [])] };
    const isFirst = before === undefined || before.size === 0;
    const known = this.#known.get(next);
    if (known && (isFirst ? known.before === undefined : known.before?.deref() === before))
      return known.difference;
    const added: string[] = [];
    const replaced: string[] = [];
    for (const [name, entry] of next) {
      const held = before?.get(name);
      if (held === undefined) added.push(name);
      else if (held !== entry) replaced.push(name);
    }
    const isAlike = isFirst || before.size + added.length === next.size;
    const removed = isAlike ? [] : [...before.keys()].filter((name) => !next.has(name));
    const difference = { added, replaced, removed };
    this.#known.set(next, { before: isFirst ? undefined : new WeakRef(before), difference });
    return difference;
  }
}
