import { OAuthError } from '../../kit/oauth/oauthError.ts';

/** The client must prove who it is. Source: RFC 6749 §5.2 */
export function unauthenticated(reason: string): OAuthError {
  return new OAuthError('invalid_client', 'Client authentication required', {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="oauth"' },
    reason,
  });
}
