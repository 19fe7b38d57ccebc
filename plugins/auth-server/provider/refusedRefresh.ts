import * as client from 'openid-client';
import { isObject } from 'pegboard';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import { jsonIn } from '../../kit/text/jsonIn.ts';

/** What providers answer to a refresh token that they do not take any more. The request is ours and worked before, so none of them is
 *  about its form: Dex answers invalid_request, and 500 with it for a person who is refused. Source: RFC 6749 §5.2 */
const ENDS: readonly string[] = ['invalid_grant', 'invalid_request', 'unauthorized_client', 'access_denied'];
/** The gateway itself is not known, as after a change of its secret (Keycloak: 401 unauthorized_client), or asks too often. */
const NOT_OF_THE_SIGN_IN: readonly number[] = [401, 429];
/** An answer 500 with such an error counts if it is repeated after that time: the first may be a fault that passes. */
const REPEATED_MS = 20_000;
const MAX_DOUBTED = 10_000;

/** The reason in which Dex says that another refresh token has taken the place of this one, since it keeps one for a person and a
 *  client. A session that has ended is invalid_grant to it. */
export const REPLACED = 'provider-invalid-request';

/** Tells refusals that end a sign-in from faults that pass. */
export class RefusedRefresh {
  /** Digest of a refresh token → when the provider first answered 500 with an error of OAuth, in ms since 1970. */
  readonly #doubted = recentlyUsed<number>(MAX_DOUBTED);

  /** @returns undefined if the sign-in stays */
  async end(error: unknown, refreshToken: string): Promise<OAuthError | undefined> {
    if (error instanceof client.ResponseBodyError)
      return NOT_OF_THE_SIGN_IN.includes(error.status) || !ENDS.includes(error.error)
        ? undefined
        : ended(error.error);
    const code = await codeIn(error);
    if (code === undefined || !ENDS.includes(code)) return undefined;
    const key = digest(refreshToken);
    const since = this.#doubted.get(key);
    if (since === undefined) this.#doubted.set(key, Date.now());
    return since === undefined || Date.now() - since < REPEATED_MS ? undefined : ended(code);
  }
}

function ended(code: string): OAuthError {
  return new OAuthError('invalid_grant', 'the identity provider has ended the sign-in', {
    reason: `provider-${code.replaceAll('_', '-')}`,
  });
}

/** The error code in an answer 5xx, whose body openid-client leaves unread. */
async function codeIn(error: unknown): Promise<string | undefined> {
  const { cause } = error as { cause?: unknown };
  if (!(cause instanceof Response) || cause.status < 500 || cause.bodyUsed) return undefined;
  const body = jsonIn(await cause.text().catch(() => ''));
  return isObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined;
}
