/** Whether a place is ordered before another one with the same score. */
export type IsFirst = (at: number, other: number) => boolean;

/** Places of the highest scores, best first; equal scores are ordered by `isFirst`, else by place.
 *  One pass with insertion, so `count` should be small. */
export function bestOf(
  scores: Float32Array | Float64Array,
  count: number,
  isFirst?: IsFirst,
): readonly number[] {
  const best: number[] = [];
  const isBefore = (at: number, other: number): boolean => {
    const ahead = (scores[at] ?? 0) - (scores[other] ?? 0);
    return ahead > 0 || (ahead === 0 && isFirst !== undefined && isFirst(at, other));
  };
  let least = 0;
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score === 0 || score < least) continue;
    const isFull = best.length === count;
    if (isFull && !isBefore(at, best[count - 1] ?? 0)) continue;
    let i = isFull ? count - 1 : best.length;
    for (; i > 0 && isBefore(at, best[i - 1] ?? 0); i -= 1) best[i] = best[i - 1] ?? 0;
    best[i] = at;
    if (best.length === count) least = scores[best[count - 1] ?? 0] ?? 0;
  }
  return best;
}
