import type { JsonObject } from 'pegboard';
import type { AccessTokens, IssuedToken } from '../state/accessTokens.ts';
import type { SignIn } from '../state/signIn.ts';

/** The response of the token endpoint. An id_token is only for clients that asked for the scope `openid`: others may refuse it, as its
 *  issuer is the identity provider.
 *  @param refreshToken undefined for an answer that has none. Source: RFC 6749 §5.1, OIDC Core §3.1.2.1 */
export async function tokenAnswer(
  accessTokens: AccessTokens,
  signIn: SignIn,
  refreshToken: string | undefined,
  scope: string,
): Promise<JsonObject> {
  const { jkt, provider } = signIn;
  return {
    ...accessAnswer(await accessTokens.issue(signIn, scope), scope, jkt),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(scope.split(' ').includes('openid') && { id_token: provider.idToken }),
  };
}

/** The part of the response about the access token. @param jkt the key that it is bound to */
export function accessAnswer(
  { token, seconds }: IssuedToken,
  scope: string,
  jkt: string | undefined,
): JsonObject {
  return {
    access_token: token,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: seconds,
    scope,
  };
}
