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
