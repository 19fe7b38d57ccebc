import type { OAuthClient } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';

/** @throws OAuthError unauthorized_client for a grant type that the client may not use */
export function refuseGrantType({ grantTypes }: OAuthClient, type: string): void {
  if (grantTypes?.includes(type) !== false) return;
  throw new OAuthError('unauthorized_client', 'the client may not use this grant type', {
    reason: 'grant-type-of-client',
  });
}
