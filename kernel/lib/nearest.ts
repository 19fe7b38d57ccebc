/** Up to `limit` names that look like `word`, best first; `isOffered` is asked for the few that are near enough. */
export type NearSearch = (
  word: string,
  limit: number,
  isOffered?: (name: string) => boolean,
) => readonly string[];

export function nearest(word: string, names: readonly string[], limit: number): readonly string[] {
  return nearSearch(names)(word, limit);
}

/** `did you mean a or b?` with up to `limit` near names; `otherwise` if none is near. */
export function didYouMean(word: string, names: readonly string[], otherwise: string, limit = 1): string {
  const near = nearest(word, names, limit);
  return near.length === 0 ? otherwise : `did you mean ${near.join(' or ')}?`;
}

/** Prepares names for many searches: each then only counts the letter pairs that they share with its word. Likeness is the
 *  Sørensen–Dice coefficient, 0…1; words that differ only by a prefix count as equal, by the order of letters as 0.9. */
export function nearSearch(names: readonly string[]): NearSearch {
  const entries = [...new Set(names)].sort().map(entryOf);
  const holdersByPair = new Map<number, number[]>();
  entries.forEach(({ lower }, at) => {
    for (const pair of pairsOf(lower))
      if (holdersByPair.get(pair)?.push(at) === undefined) holdersByPair.set(pair, [at]);
  });
  return (word, limit, isOffered = () => true) => {
    const target = entryOf(word);
    const shared = new Uint8Array(entries.length);
    for (const pair of pairsOf(target.lower))
      for (const at of holdersByPair.get(pair) ?? []) shared[at] = (shared[at] ?? 0) + 1;
    const best: { name: string; likeness: number }[] = [];
    for (const [at, entry] of entries.entries()) {
      const likeness = likenessOf(target, entry, shared[at] ?? 0);
      const least = best.length < limit ? 0.45 : (best.at(-1)?.likeness ?? 1) + Number.EPSILON;
      if (likeness < least || !isOffered(entry.name)) continue;
      best.splice(best.findLastIndex((one) => one.likeness >= likeness) + 1, 0, {
        name: entry.name,
        likeness,
      });
      if (best.length > limit) best.pop();
    }
    return best.map(({ name }) => name);
  };
}

type Entry = ReturnType<typeof entryOf>;
function entryOf(name: string) {
  const lower = name.toLowerCase();
  return { name, lower, size: pairsOf(lower).size, letters: letterSum(lower) };
}

function likenessOf(target: Entry, entry: Entry, shared: number): number {
  // A name that ends with the word has all its pairs, but for the first and where a long word is cut.
  if (shared + 2 >= target.size && entry.lower.endsWith(`_${target.lower}`)) return 1;
  const likeness = (2 * shared) / (target.size + entry.size);
  return entry.letters === target.letters ? Math.max(likeness, 0.9) : likeness;
}

/** Equal for words that differ only in the order of their letters, and by chance for 1 in 2³² others. */
function letterSum(word: string): number {
  let sum = 0;
  for (let at = 0; at < word.length; at += 1) {
    const mixed = Math.imul(word.charCodeAt(at) + 1, 0x9e3779b1);
    sum = (sum + Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)) | 0;
  }
  return sum;
}

/** The pairs of letters of the word's first 128 characters, as numbers. */
function pairsOf(word: string): Set<number> {
  const head = ` ${word.slice(0, 128)} `;
  const pairs = new Set<number>();
  for (let at = 0; at + 1 < head.length; at += 1)
    pairs.add(head.charCodeAt(at) * 0x10000 + head.charCodeAt(at + 1));
  return pairs;
}
