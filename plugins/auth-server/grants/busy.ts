import { OAuthError } from '../contract.ts';

/** For a request whose like is being served, or was by a process that may have ended: the client keeps what it has, and repeats it. */
export function busy(reason: string): OAuthError {
  return OAuthError.unavailable('the same request is being served', reason);
}
