/** Up to `limit` candidates that look like `word`, best first; dissimilar ones are left out. Linear in the candidates' text. */
export function nearest(word: string, candidates: readonly string[], limit: number): readonly string[] {
  const target = word.toLowerCase();
  const targetPairs = pairsOf(target);
  return candidates
    .map((candidate) => ({ candidate, likeness: likeness(target, targetPairs, candidate.toLowerCase()) }))
    .filter(({ likeness }) => likeness >= 0.45)
    .sort((a, b) => b.likeness - a.likeness || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** `did you mean a or b?` with up to `limit` near candidates; `otherwise` if none is near. */
export function didYouMean(word: string, names: readonly string[], otherwise: string, limit = 1): string {
  const near = nearest(word, names, limit);
  return near.length === 0 ? otherwise : `did you mean ${near.join(' or ')}?`;
}

/** Sørensen–Dice coefficient over letter pairs, 0…1; words that differ only by a prefix count as nearly equal. */
function likeness(target: string, targetPairs: ReadonlySet<string>, candidate: string): number {
  if (candidate.endsWith(`_${target}`)) return 1;
  if (lettersOf(candidate) === lettersOf(target)) return 0.9;
  const pairs = pairsOf(candidate);
  let shared = 0;
  for (const pair of pairs) if (targetPairs.has(pair)) shared += 1;
  return (2 * shared) / (targetPairs.size + pairs.size || 1);
}

/** Equal for words that differ only in the order of their letters. */
function lettersOf(word: string): string {
  return word.length > 32 ? word : Array.from(word).sort().join('');
}

function pairsOf(word: string): Set<string> {
  const head = ` ${word.slice(0, 128)} `;
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < head.length; at += 1) pairs.add(head.slice(at, at + 2));
  return pairs;
}
