interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Full-range jitter over the upper half: attempt 1 waits firstMs/2…firstMs, each next twice that, up to maxMs.
 *  @param attempt 1 for the first wait @param random 0…1 */
export function backoffMs(
  attempt: number,
  { firstMs, maxMs }: BackoffOptions,
  random = Math.random(),
): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}
