/** Whether an owner may have one more of what nobody may lose: while it holds fewer than are left. So others find room
 *  however much one takes; alone it gets half, and n owners that want all there is get one part in n + 1 each.
 *  Source: dynamic thresholds (Choudhury and Hahne, 1998) */
export function hasShare({ held, kept, max }: Share): boolean {
  return held < max - kept;
}
interface Share {
  /** By this owner. */
  readonly held: number;
  /** By all. */
  readonly kept: number;
  readonly max: number;
}

/** What has to go of what may be lost, so that no more than `max` stays: who holds most loses its oldest, again and again.
 *  @param items oldest first @returns those that go */
export function surplus<T>(
  items: readonly T[],
  max: number,
  { owner, weight }: { readonly owner: (item: T) => string; readonly weight: (item: T) => number },
): readonly T[] {
  const heldByOwner = new Map<string, number>();
  let total = 0;
  // Each with what its owner holds when it is the oldest: itself, and all that is newer.
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
