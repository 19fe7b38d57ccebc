import { doubledMs } from '../../kit/limits/doubledMs.ts';

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
  return Math.round(doubledMs(attempt, firstMs, maxMs) * (0.5 + random / 2));
}

export interface RetryLimits {
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  readonly maxRetryAfterMs: number;
}

/** The wait before what has failed is tried again (ms): that of backoffMs(), or the one that the server asks for if it is longer.
 *  @param attempt 1 for the first wait @param askedSeconds of `Retry-After` */
export function retryWaitMs(
  attempt: number,
  askedSeconds: number,
  { backoffFirstMs, backoffMaxMs, maxRetryAfterMs }: RetryLimits,
): number {
  const ownMs = backoffMs(attempt, { firstMs: backoffFirstMs, maxMs: backoffMaxMs });
  return Math.max(ownMs, Math.min(askedSeconds * 1_000, maxRetryAfterMs));
}
