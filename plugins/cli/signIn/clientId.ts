import { isObject, plainText } from 'pegboard';
import { Failure, SIGN_IN_FAILED } from '../failure.ts';
import type { Discovered } from './discoverSignIn.ts';
import type { OauthFetch } from './oauthFetch.ts';
import type { StoredTokens } from './tokenFile.ts';

interface Wanted {
  readonly found: Discovered;
  readonly redirectUri: string;
  /** Tokens of the last sign-in. */
  readonly stored: StoredTokens | undefined;
  readonly fetch: OauthFetch;
}

/** The client id for a redirect URI: the one of the last sign-in if the server still knows it, else a new registration
 *  (servers limit how many one address may have). Source: RFC 7591 @throws Failure (exit code 3) */
export async function clientId(wanted: Wanted): Promise<string> {
  const { found, stored, redirectUri } = wanted;
  const isSame = stored?.issuer_url === found.metadata.issuer && stored.redirect_uri === redirectUri;
  if (isSame && (await isKnown(stored.client_id, wanted))) return stored.client_id;
  return register(wanted);
}

/** Asks the token endpoint, because an authorization request of an unknown client ends on an error page in the browser. */
async function isKnown(id: string, { found, fetch }: Wanted): Promise<boolean> {
  const form = { grant_type: 'refresh_token', refresh_token: 'none', client_id: id };
  const answer = await fetch(found.metadata.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  // RFC 6749 §5.2: the client is looked at first.
  return ((await answer.json()) as { error?: unknown }).error === 'invalid_grant';
}

async function register({ found, redirectUri, fetch }: Wanted): Promise<string> {
  const { issuer, registration_endpoint: address } = found.metadata;
  const failed = (reason: string): Failure =>
    new Failure(`${issuer} does not register this program: ${reason}`, SIGN_IN_FAILED);
  if (address === undefined) throw failed('it has no address for that');
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      client_name: 'Pegboard command line',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
    }),
  });
  const body = await answer.json().catch(() => undefined);
  const { client_id: id, error_description: why } = isObject(body) ? body : {};
  if (answer.ok && typeof id === 'string') return id;
  throw failed(`${answer.status}${typeof why === 'string' ? ` ${plainText(why).slice(0, 300)}` : ''}`);
}
