import type { Downstream } from '../../../kit/oauth/downstream.ts';
import type { TargetClient } from '../../../kit/oauth/exchangeTarget.ts';
import { audienceScope } from '../../../kit/oauth/audienceScope.ts';
import type { GuardedServer } from '../../../contracts/credentials.ts';
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
  const client = tokenExchange && clientOf(tokenExchange);
  if (tokenExchange === undefined || client === undefined)
    throw gatewaySignInNeeded(
      name,
      'its definition has no auth.tokenExchange.clientId; ask the administrator',
    );
  const { endpoint, connectorId, expectedIssuer } = tokenExchange;
  const audiences = requiredAudiences.flatMap((audience) => audienceScope(audience) ?? []);
  const { token, expiresAt } = await downstream.exchange(
    {
      name,
      endpoint,
      connectorId,
      client,
      scopes: [tokenExchange.scopes, ...audiences].join(' '),
      ...(expectedIssuer !== undefined && { expectedIssuer }),
    },
    idToken,
    ID_TOKEN,
  );
  return heldToken(token, expiresAt);
}

function clientOf({
  secretRef,
  clientId: id,
  clientSecret: text,
}: NonNullable<GuardedServer['auth']['tokenExchange']>): TargetClient | undefined {
  if (secretRef !== undefined || id === undefined) return secretRef;
  return { id, ...(text !== undefined && { secret: { text } }) };
}
