import { digest, isSame } from '../../kit/secrets/secrets.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import type { Params } from '../web/params.ts';
import { unauthenticated } from './unauthenticated.ts';

/** Compared with when there is no secret to compare, so that both take the same time. */
const NO_SECRET = digest('');

interface Credentials {
  readonly id: string;
  readonly secret: string | undefined;
  readonly method: OAuthClient['authMethod'];
}

/** The client of a form: with its secret in the header or in the form, or a public one by its id alone.
 *  @param find as a method of Clients
 *  @throws OAuthError invalid_client (401), invalid_request; as find(). Source: RFC 6749 §2.3 */
export async function authenticate(
  find: (id: string) => Promise<OAuthClient>,
  form: Params,
  authorization: string | undefined,
): Promise<OAuthClient> {
  const { id, secret, method } = credentialsOf(form, authorization);
  const client = await find(id).catch((error: unknown) => {
    if (error instanceof OAuthError && error.error === 'invalid_client') return error;
    throw error;
  });
  const secretHash = client instanceof OAuthError ? undefined : client.secretHash;
  const isKnown = isSame(digest(secret ?? ''), secretHash ?? NO_SECRET);
  if (client instanceof OAuthError) throw unauthenticated(client.reason);
  // Both ways of sending a secret are accepted, whichever the client registered.
  const isPublic = secretHash === undefined;
  if (isPublic ? method !== 'none' : method === 'none' || !isKnown)
    throw unauthenticated(isPublic ? 'client-has-no-secret' : 'wrong-client-secret');
  return client;
}

function credentialsOf(form: Params, authorization: string | undefined): Credentials {
  const basic = authorization === undefined ? undefined : basicOf(authorization);
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  if (basic === undefined) {
    if (id === undefined) throw unauthenticated('no-client');
    return { id, secret, method: secret === undefined ? 'none' : 'client_secret_post' };
  }
  if (secret !== undefined)
    throw new OAuthError('invalid_request', 'send the client secret in one place: the header or the form', {
      reason: 'two-client-secrets',
    });
  if (id !== undefined && id !== basic.id)
    throw new OAuthError('invalid_client', 'client_id differs from the one in the Authorization header', {
      reason: 'two-client-ids',
    });
  return { ...basic, method: 'client_secret_basic' };
}

function basicOf(authorization: string): { id: string; secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1];
  const [id = '', ...rest] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':');
  if (id === '' || rest.length === 0) throw unauthenticated('malformed-authorization');
  try {
    return { id: formDecoded(id), secret: formDecoded(rest.join(':')) };
  } catch {
    throw unauthenticated('malformed-authorization');
  }
}

/** @throws URIError */
function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
