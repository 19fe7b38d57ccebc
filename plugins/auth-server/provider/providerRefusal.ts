import * as client from 'openid-client';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { providerWords } from '../../kit/oauth/providerWords.ts';

/** What the person decided or the client asked for. Anything else is a fault between this gateway and the provider. Source: RFC 6749 §4.1.2.1,
 *  §5.2, OIDC Core §3.1.2.6 */
const FOR_CLIENTS: readonly string[] = [
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
  'temporarily_unavailable',
  'invalid_grant',
];
const REFUSED =
  'the identity provider has refused the request of this gateway; the log of the gateway has the reason';
/** Keycloak's own code, for a person without the role offline_access. Source:
 *  https://github.com/keycloak/keycloak/blob/26.4.7/core/src/main/java/org/keycloak/OAuthErrorException.java */
const NOT_ALLOWED = 'not_allowed';
const NO_OFFLINE =
  'the identity provider does not let this person or this gateway stay signed in (offline_access); ask the administrator';
const SECRET = 'check clientId and clientSecret of aggregator.oauth.server.idp';
const FIXES: Readonly<Record<string, string>> = {
  invalid_client: SECRET,
  unauthorized_client: SECRET,
  invalid_scope: 'take out of aggregator.oauth.server.idp.scopes what the provider does not know',
  invalid_request: 'check parameters and scopes of aggregator.oauth.server.idp',
  [NOT_ALLOWED]:
    'give people the role offline_access there, or take offline_access out of aggregator.oauth.server.idp.scopes',
};

/** An error of the identity provider in the terms of OAuth: what the client is told, and what the log says.
 *  @returns undefined if the provider has not answered with such an error, or is overloaded */
export function providerRefusal(
  error: unknown,
): { readonly error: OAuthError; readonly told: Readonly<Record<string, string>> } | undefined {
  const answer = answerIn(error);
  if (answer === undefined || answer.status >= 500 || answer.status === 429) return undefined;
  const { code, description } = answer;
  const reason = `provider-${code.replaceAll(/[^a-z]+/g, '-').slice(0, 60)}`;
  if (FOR_CLIENTS.includes(code))
    // What it says about a person stays out of the log.
    return { error: new OAuthError(code, description ?? code, { reason }), told: { error: code } };
  const fix = FIXES[code];
  const told = {
    error: providerWords(code),
    ...(description !== undefined && { description: providerWords(description) }),
    ...(fix !== undefined && { fix }),
  };
  const [shown, text] = code === NOT_ALLOWED ? ['access_denied', NO_OFFLINE] : ['server_error', REFUSED];
  return { error: new OAuthError(shown, text, { reason }), told };
}

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly description: string | undefined;
}

function answerIn(error: unknown): Answer | undefined {
  // A wrong secret in the header is answered with a challenge. Source: RFC 6749 §5.2
  if (error instanceof client.WWWAuthenticateChallengeError) {
    const basic = error.cause.find(({ scheme }) => scheme === 'basic')?.parameters;
    if (basic === undefined) return undefined;
    const { error: code = 'invalid_client', error_description: description } = basic;
    return { status: error.status, code, description };
  }
  if (!(error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError))
    return undefined;
  const status = error instanceof client.ResponseBodyError ? error.status : 400;
  return { status, code: error.error, description: error.error_description };
}
