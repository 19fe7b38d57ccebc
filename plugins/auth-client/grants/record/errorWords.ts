import { providerWords } from '../../../kit/oauth/providerWords.ts';

/** What the person has decided or has to do: what is said about it stays out of the log. Source: RFC 6749 §4.1.2.1, OIDC Core §3.1.2.6 */
const PERSONAL =
  /^(access_denied|login_required|consent_required|interaction_required|account_selection_required)$/;
/** Providers have codes of their own: bad_client_secret, redirect_uri_mismatch. */
const FIXES: readonly (readonly [RegExp, string])[] = [
  [/redirect/, 'register the redirect URI of this gateway at the authorization server'],
  [
    /client/,
    'check clientId, clientSecret and tokenEndpointAuthMethod of auth.authorizationServer of the server, if it has these',
  ],
  [/scope/, 'check scopes of auth.authorizationServer of the server'],
  [/target|resource/, 'set auth.authorizationServer.resource: none of the server'],
  [/^invalid_request$/, 'check parameters and resource of auth.authorizationServer of the server'],
];

export interface ErrorWords {
  readonly description?: string;
  /** The key to look at. */
  readonly fix?: string;
}

/** An authorization server's own words about an error, and what to do, for the log only. */
export function errorWords(code: string, description: unknown): ErrorWords {
  if (PERSONAL.test(code)) return {};
  const [, fix] = FIXES.find(([codes]) => codes.test(code)) ?? [];
  return {
    ...(typeof description === 'string' && { description: providerWords(description) }),
    ...(fix !== undefined && { fix }),
  };
}
