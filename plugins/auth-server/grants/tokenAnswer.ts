import type { JsonObject } from 'pegboard';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { SignIn } from '../state/signIn.ts';

/** The response of the token endpoint. An id_token is only for clients with the scope `openid`: others may refuse it, as its issuer is
 *  the identity provider. Source: RFC 6749 §5.1, OIDC Core §3.1.2.1 */
export async function tokenAnswer(
  accessTokens: AccessTokens,
  signIn: SignIn,
  refreshToken: string,
  scope: string,
): Promise<JsonObject> {
  const { token, seconds } = await accessTokens.issue(signIn, scope);
  return {
    access_token: token,
    token_type: signIn.jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: seconds,
    refresh_token: refreshToken,
    scope,
    ...(scope.split(' ').includes('openid') && { id_token: signIn.provider.idToken }),
  };
}
