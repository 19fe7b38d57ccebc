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
  const sorted = [...new Set(names)].sort();
  const lowers = sorted.map((name) => name.toLowerCase());
  const letters = Int32Array.from(lowers, letterSum);
  const sizes = new Uint8Array(sorted.length);
  const holdersByPair = new Map<number, number[]>();
  for (let at = 0; at < sorted.length; at += 1) {
    const pairs = pairsOf(lowers[at] ?? '');
    sizes[at] = pairs.size;
    for (const pair of pairs)
      if (holdersByPair.get(pair)?.push(at) === undefined) holdersByPair.set(pair, [at]);
  }
  return (word, limit, isOffered = () => true) => {
    const lower = word.toLowerCase();
    const [pairs, sum] = [pairsOf(lower), letterSum(lower)];
    const shared = new Uint8Array(sorted.length);
    for (const pair of pairs)
      for (const at of holdersByPair.get(pair) ?? []) shared[at] = (shared[at] ?? 0) + 1;
    const best: { name: string; likeness: number }[] = [];
    let least = 0.45;
    for (let at = 0; at < sorted.length; at += 1) {
      const both = shared[at] ?? 0;
      let likeness = (2 * both) / (pairs.size + (sizes[at] ?? 0));
      if (letters[at] === sum) likeness = Math.max(likeness, 0.9);
      // A name that ends with the word has all its pairs, but for the first and where a long word is cut.
      if (both + 2 >= pairs.size && lowers[at]?.endsWith(`_${lower}`) === true) likeness = 1;
      const name = sorted[at] ?? '';
      if (likeness < least || !isOffered(name)) continue;
      best.splice(best.findLastIndex((one) => one.likeness >= likeness) + 1, 0, { name, likeness });
      if (best.length > limit) best.pop();
      if (best.length === limit) least = (best.at(-1)?.likeness ?? 1) + Number.EPSILON;
    }
    return best.map(({ name }) => name);
  };
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
