import type { JsonObject } from 'pegboard';
import { authenticate } from '../clients/authenticate.ts';
import type { Clients } from '../clients/clients.ts';
import { unauthenticated } from '../clients/unauthenticated.ts';
import type { Access, AccessTokens } from '../state/accessTokens.ts';
import type { Addresses } from '../web/addresses.ts';
import { formParameters } from '../web/oauthRoute.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';

/** `POST /oauth/introspect`: a client with a secret asks about an access token of its own. Source: RFC 7662 */
export function introspect(
  clients: Clients,
  accessTokens: AccessTokens,
  addresses: Addresses,
): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/oauth/introspect',
    handle: async (exchange) => {
      const form = await formParameters(exchange);
      const client = await authenticate(
        (id) => clients.findBound(id),
        form,
        exchange.request.header('authorization'),
      );
      if (client.secretHash === undefined) throw unauthenticated('client-has-no-secret');
      const access = await accessTokens.find(form.need('token'));
      const body = access?.clientId === client.id ? factsOf(access, addresses.base) : { active: false };
      return { status: 200, body };
    },
  };
}

function factsOf(
  { caller, clientId, jkt, aud, scope, issuedAt, expiresAt }: Access,
  iss: string,
): JsonObject {
  const { subject: sub, claims: { email, email_verified: isVerified, name } = {} } = caller;
  return {
    active: true,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    client_id: clientId,
    sub,
    iss,
    aud,
    scope,
    iat: Math.floor(issuedAt / 1_000),
    exp: Math.floor(expiresAt / 1_000),
    ...(email !== undefined && { email }),
    ...(isVerified !== undefined && { email_verified: isVerified }),
    ...(name !== undefined && { name }),
    ...(jkt !== undefined && { cnf: { jkt } }),
  };
}
