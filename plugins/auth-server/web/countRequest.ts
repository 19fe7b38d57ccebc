import type { RateLimit } from '../../kit/http/rateLimit.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';

/** Counts one more request of that address, client or person. @throws OAuthError rate_limit_exceeded (429) */
export function countRequest(limit: RateLimit, key: string): void {
  if (limit.admits(key)) return;
  throw new OAuthError('rate_limit_exceeded', 'Rate limit exceeded. Please try again later.', {
    status: 429,
    headers: { 'retry-after': String(limit.secondsLeft(key)) },
  });
}
