export interface BackoffWaits {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** A wait between 0 and a ceiling that doubles, so that replicas do not return together. @param attempt 1 for the first wait
 *  @param random 0…1  Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
export function fullJitter(
  attempt: number,
  { firstMs, maxMs }: BackoffWaits,
  random = Math.random(),
): number {
  return Math.round(Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30)) * random);
}
