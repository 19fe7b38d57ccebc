/** Whether an owner may add one more item to a store that discards nothing: while it has fewer than the free places. So
 *  there is always room for others; one owner alone gets half, n owners get one part in n + 1 each.
 *  Source: dynamic thresholds (Choudhury and Hahne, 1998) */
export function hasShare({ held, kept, max }: Share): boolean {
  return held < max - kept;
}
interface Share {
  /** Items of this owner. */
  readonly held: number;
  /** Items of all owners. */
  readonly kept: number;
  readonly max: number;
}

/** Selects items to discard, so that at most `max` stay: the owner that holds most loses its oldest, repeatedly.
 *  @param items oldest first @returns the items to discard */
export function surplus<T>(
  items: readonly T[],
  max: number,
  { owner, weight }: { readonly owner: (item: T) => string; readonly weight: (item: T) => number },
): readonly T[] {
  const heldByOwner = new Map<string, number>();
  let total = 0;
  // Each item with the total of its owner when it is the oldest one left: itself and all newer ones.
  const ranked = [...items].reverse().map((item) => {
    const held = (heldByOwner.get(owner(item)) ?? 0) + weight(item);
    heldByOwner.set(owner(item), held);
    total += weight(item);
    return { item, held };
  });
  const gone: T[] = [];
  for (const { item } of ranked.reverse().sort((a, b) => b.held - a.held)) {
    if (total <= max) break;
    gone.push(item);
    total -= weight(item);
  }
  return gone;
}
