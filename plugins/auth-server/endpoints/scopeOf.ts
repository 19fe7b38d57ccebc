import type { OAuthClient } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Params } from '../web/params.ts';

const MAX_SCOPES = 50;
/** Length of all together: they go to the provider and back in the address. */
const MAX_SCOPE_CHARS = 2_048;
/** Printable ASCII without quotation marks, backslashes and spaces (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** The scope that a client asks for. `openid` must be named, because strict OAuth clients refuse an id_token that they did not ask for.
 *  @param fallback for a client that names none @throws OAuthError invalid_scope */
export function scopeOf(params: Params, client: OAuthClient, fallback: readonly string[]): string {
  const allowed = client.scopes;
  const text = params.get('scope');
  if (text === undefined) return (allowed ?? fallback).filter((scope) => scope !== 'openid').join(' ');
  const asked = text.split(' ').filter((scope) => scope !== '');
  const isShort = text.length <= MAX_SCOPE_CHARS && asked.length <= MAX_SCOPES;
  if (!isShort || !asked.every((scope) => SCOPE.test(scope)))
    throw new OAuthError(
      'invalid_scope',
      `scope is malformed, or has over ${MAX_SCOPES} parts or ${MAX_SCOPE_CHARS} characters`,
      { reason: 'scope-malformed' },
    );
  if (allowed !== undefined && !asked.every((scope) => allowed.includes(scope)))
    throw new OAuthError('invalid_scope', 'scope has a part that the client did not register', {
      reason: 'scope-not-registered',
    });
  return [...new Set(asked)].join(' ');
}
