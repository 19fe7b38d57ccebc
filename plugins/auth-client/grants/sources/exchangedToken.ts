import type { Downstream } from '../../../auth-exchange/contract.ts';
import { audienceScope } from '../../../auth-server/contract.ts';
import type { GuardedServer } from '../../contract.ts';
import { gatewaySignInNeeded } from './gatewaySignInNeeded.ts';
import { heldToken } from './heldToken.ts';
import type { HeldToken } from './heldToken.ts';

const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

/** A token of the server's identity provider for the caller's token. @throws OAuthError as Downstream.exchange(); GatewayError
 *  Source: RFC 8693; requirement server.schema */
export async function exchangedToken(
  { name, auth }: GuardedServer,
  idToken: string,
  downstream: Pick<Downstream, 'exchange'>,
): Promise<HeldToken> {
  const { tokenExchange, requiredAudiences } = auth;
  const clientId = tokenExchange?.clientId;
  if (tokenExchange === undefined || clientId === undefined)
    throw gatewaySignInNeeded(
      name,
      'its definition has no auth.tokenExchange.clientId; ask the administrator',
    );
  const { endpoint, connectorId, expectedIssuer, clientSecret } = tokenExchange;
  const audiences = requiredAudiences.map(audienceScope).filter((scope) => scope !== undefined);
  const { token, expiresAt } = await downstream.exchange(
    {
      ...{ name, endpoint, connectorId, clientId },
      scopes: [tokenExchange.scopes, ...audiences].join(' '),
      ...(expectedIssuer !== undefined && { expectedIssuer }),
      ...(clientSecret !== undefined && { clientSecret: { text: clientSecret } }),
    },
    idToken,
    ID_TOKEN,
  );
  return heldToken(token, expiresAt);
}
