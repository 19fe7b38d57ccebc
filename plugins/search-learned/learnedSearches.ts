/** A search that had outcomes: its words, and how often each tool was called after it. */
export interface LearnedSearch {
  readonly words: readonly string[];
  readonly calls: Readonly<Record<string, number>>;
}
export interface Learned {
  readonly tool: string;
  readonly calls: number;
}

/** How alike the words of two searches must be, 0…1. */
const ALIKE_FROM = 0.7;
const MAX_TOOLS = 8;
/** The most that a count is; beyond it all counts of a search are halved, so that what is called now counts most. */
const MAX_CALLS = 100;

/** The searches of this gateway's own log, the longest unused first. */
export class LearnedSearches {
  readonly #byKey = new Map<string, LearnedSearch>();
  /** The number of searches that have a word. */
  readonly #holders = new Map<string, number>();
  readonly #max: () => number;

  constructor(max: () => number) {
    this.#max = max;
  }

  get(key: string): LearnedSearch | undefined {
    return this.#byKey.get(key);
  }

  /** @returns the keys of the searches that were forgotten, if there was no room */
  set(key: string, search: LearnedSearch): readonly string[] {
    this.#count(this.#byKey.get(key), -1);
    this.#count(search, 1);
    this.#byKey.delete(key);
    this.#byKey.set(key, search);
    const forgotten = [...this.#byKey].slice(0, Math.max(0, this.#byKey.size - this.#max()));
    for (const [oldest, former] of forgotten) {
      this.#count(former, -1);
      this.#byKey.delete(oldest);
    }
    return forgotten.map(([oldest]) => oldest);
  }

  /** A call of a tool after a search. @returns the key of the search, and of those that were forgotten for it */
  add(
    words: readonly string[],
    tool: string,
  ): { readonly key: string; readonly forgotten: readonly string[] } {
    const key = keyOf(words);
    const calls = { ...this.#byKey.get(key)?.calls };
    calls[tool] = (calls[tool] ?? 0) + 1;
    return { key, forgotten: this.set(key, { words, calls: bounded(calls) }) };
  }

  /** Adds what was learnt before to what was learnt meanwhile. */
  join(key: string, former: LearnedSearch): void {
    const calls = { ...former.calls };
    for (const [tool, count] of Object.entries(this.#byKey.get(key)?.calls ?? {}))
      calls[tool] = (calls[tool] ?? 0) + count;
    this.set(key, { words: former.words, calls: bounded(calls) });
  }

  /** The tools that were called after such searches, the most often called first. */
  after(words: readonly string[]): readonly Learned[] {
    const asked = new Set(words);
    const all = this.#weightOf(words);
    const sums = new Map<string, { likeness: number; calls: number }>();
    for (const search of this.#byKey.values()) {
      const common = this.#weightOf(search.words.filter((word) => asked.has(word)));
      const likeness = common / (all + this.#weightOf(search.words) - common);
      if (!(likeness >= ALIKE_FROM)) continue;
      for (const [tool, calls] of Object.entries(search.calls)) {
        const sum = sums.get(tool) ?? { likeness: 0, calls: 0 };
        sums.set(tool, { likeness: sum.likeness + likeness * calls, calls: sum.calls + calls });
      }
    }
    return [...sums]
      .sort(([, a], [, b]) => b.likeness - a.likeness)
      .map(([tool, { calls }]) => ({ tool, calls }));
  }

  /** Words that many searches have say little. */
  #weightOf(words: readonly string[]): number {
    const count = this.#byKey.size;
    return words.reduce((sum, word) => sum + Math.log(2 + count / (1 + (this.#holders.get(word) ?? 0))), 0);
  }

  #count(search: LearnedSearch | undefined, by: number): void {
    for (const word of search?.words ?? []) {
      const count = (this.#holders.get(word) ?? 0) + by;
      if (count > 0) this.#holders.set(word, count);
      else this.#holders.delete(word);
    }
  }
}

function keyOf(words: readonly string[]): string {
  return words.join('.');
}

function bounded(calls: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const isFull = Object.values(calls).some((count) => count > MAX_CALLS);
  const entries = Object.entries(calls)
    .map(([tool, count]) => [tool, isFull ? Math.floor(count / 2) : count] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  return Object.fromEntries(entries.slice(0, MAX_TOOLS));
}
