/** The ceiling of the wait before something that has failed is tried again, in ms: `firstMs`, then twice as long each time.
 *  @param failures number of failures in a row, from 1 */
export function doubledMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
