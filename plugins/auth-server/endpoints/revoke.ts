import type { Log } from 'pegboard';
import { authenticate } from '../clients/authenticate.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import type { Clients } from '../clients/clients.ts';
import { unauthenticated } from '../clients/unauthenticated.ts';
import type { AccessTokens } from '../state/accessTokens.ts';
import type { SignIns } from '../state/signIns.ts';
import { formParameters } from '../web/oauthRoute.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';
import type { Params } from '../web/params.ts';

/** `POST /oauth/revoke`: a refresh token ends its sign-in, an access token only itself. A public client proves by the token alone
 *  that it may. Source: RFC 7009 */
export function revoke(
  clients: Clients,
  signIns: SignIns,
  accessTokens: AccessTokens,
  log: Log,
): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/oauth/revoke',
    handle: async (exchange) => {
      const form = await formParameters(exchange);
      const token = form.need('token');
      const authorization = exchange.request.header('authorization');
      // First, so that it is refused here even if the store cannot take the revocation.
      accessTokens.forgetToken(token);
      const presented = await signIns.presented(token);
      const access = presented === undefined ? await accessTokens.find(token) : undefined;
      const owner = presented?.signIn.clientId ?? access?.clientId;
      if (owner !== undefined && (await mayRevoke(clients, owner, form, authorization))) {
        if (access !== undefined) await accessTokens.revoke(token);
        if (presented !== undefined) {
          await signIns.end(presented.signIn.id, 'revoked');
          log.info('signed out', { signIn: presented.signIn.id, client: owner });
        }
      }
      return { status: 200 };
    },
  };
}

/** @returns false for a token of another client @throws OAuthError invalid_client if its client has a secret and does not prove it */
async function mayRevoke(
  clients: Clients,
  owner: string,
  form: Params,
  authorization: string | undefined,
): Promise<boolean> {
  const isNamed = authorization !== undefined || form.get('client_id') !== undefined;
  const find = (id: string): Promise<OAuthClient> => clients.findBound(id);
  if (isNamed) return (await authenticate(find, form, authorization)).id === owner;
  const client = await find(owner).catch((): OAuthClient | undefined => undefined);
  if (client?.secretHash !== undefined) throw unauthenticated('client-has-a-secret');
  return true;
}
