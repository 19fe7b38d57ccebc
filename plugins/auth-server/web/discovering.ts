import { OAuthError } from '../../kit/oauth/oauthError.ts';

const RETRY_AFTER_S = '30';

/** The identity provider is not known yet. */
export function discovering(): OAuthError {
  return new OAuthError('service_unavailable', 'OIDC discovery in progress, please retry', {
    status: 503,
    headers: { 'retry-after': RETRY_AFTER_S },
    reason: 'provider-discovery',
  });
}
