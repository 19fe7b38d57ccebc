import type { Downstream } from '../../../kit/oauth/downstream.ts';
import { DEX_SCOPES, formOf } from '../../../kit/oauth/exchangeTarget.ts';
import type { TargetClient } from '../../../kit/oauth/exchangeTarget.ts';
import { audienceScope } from '../../../kit/oauth/audienceScope.ts';
import type { GuardedServer } from '../../../contracts/credentials.ts';
import { gatewaySignInNeeded } from './gatewaySignInNeeded.ts';
import { heldToken } from './heldToken.ts';
import type { HeldToken } from './heldToken.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:';

/** A token of the server's identity provider for the caller's token. @throws OAuthError as Downstream.exchange(); GatewayError
 *  Source: RFC 8693; requirement server.schema */
export async function exchangedToken(
  { name, auth }: GuardedServer,
  token: string,
  downstream: Pick<Downstream, 'exchange'>,
): Promise<HeldToken> {
  const { tokenExchange, requiredAudiences } = auth;
  const client = tokenExchange && clientOf(tokenExchange);
  if (tokenExchange === undefined || client === undefined)
    throw gatewaySignInNeeded(
      name,
      'its definition has no auth.tokenExchange.clientId; ask the administrator',
    );
  const { endpoint, connectorId, scopes = connectorId && DEX_SCOPES } = tokenExchange;
  const audiences =
    connectorId === undefined ? [] : requiredAudiences.flatMap((one) => audienceScope(one) ?? []);
  const asked = [scopes ?? [], audiences].flat().join(' ');
  const issued = await downstream.exchange(
    { ...formOf({ ...tokenExchange, subjectTokenType: undefined, scopes: asked }), name, endpoint, client },
    token,
    TYPE + sentType(auth),
  );
  return heldToken(issued.token, issued.expiresAt);
}

/** Which of the caller's tokens is sent. */
export function sentType({ tokenExchange }: GuardedServer['auth']): 'id_token' | 'access_token' {
  if (tokenExchange === undefined) return 'id_token';
  const { subjectTokenType, connectorId } = tokenExchange;
  return subjectTokenType ?? (connectorId === undefined ? 'access_token' : 'id_token');
}

function clientOf({
  secretRef,
  clientId: id,
  clientSecret: text,
}: NonNullable<GuardedServer['auth']['tokenExchange']>): TargetClient | undefined {
  if (secretRef !== undefined || id === undefined) return secretRef;
  return { id, ...(text !== undefined && { secret: { text } }) };
}
