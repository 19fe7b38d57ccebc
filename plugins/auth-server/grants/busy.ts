import { OAuthError } from '../../kit/oauth/oauthError.ts';

/** The reason if another request changes the same sign-in. */
export const IN_USE = 'refresh-token-in-use';

/** The refusal of a request whose like is being served, or was by a process that may have ended: the client keeps what it has, and repeats it. */
export function busy(reason: string): OAuthError {
  return OAuthError.unavailable('the same request is being served', reason);
}
