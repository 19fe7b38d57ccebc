import { OAuthError } from '../contract.ts';

const RETRY_AFTER_S = '5';

/** For a request whose like is being served, or was by a process that may have ended: the client keeps what it has, and repeats it. */
export function busy(reason: string): OAuthError {
  return new OAuthError('temporarily_unavailable', 'the same request is being served, please retry', {
    status: 503,
    headers: { 'retry-after': RETRY_AFTER_S },
    reason,
  });
}
