import type { ServerResponse } from 'node:http';
import type { RateLimit } from '../../kit/http/rateLimit.ts';
import type { Grant } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Possession } from '../bearer/possession.ts';
import { authenticate } from '../clients/authenticate.ts';
import type { Clients } from '../clients/clients.ts';
import { refuseGrantType } from '../clients/refuseGrantType.ts';
import { countRequest } from '../web/countRequest.ts';
import { formParameters } from '../web/oauthRoute.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';

/** Other values may be secrets in the wrong place. */
const GRANT_TYPE = /^[a-z][a-z0-9_:-]{0,79}$/;

/** `POST /oauth/token`. Source: RFC 6749 §3.2
 *  @param limit limits the requests of each client */
export function token(
  limit: RateLimit,
  clients: Clients,
  grants: () => readonly Grant[],
  possession: Possession,
): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/oauth/token',
    handle: async (exchange) => {
      const form = await formParameters(exchange);
      const type = form.need('grant_type');
      const grant = grants().find((one) => one.type === type);
      if (grant === undefined)
        throw new OAuthError(
          'unsupported_grant_type',
          `Grant type ${GRANT_TYPE.test(type) ? `${type} ` : ''}not supported`,
          { reason: 'grant-type' },
        );
      const client = await authenticate(
        (id) => (type === 'refresh_token' ? clients.findAllowed(id) : clients.find(id, exchange.address)),
        form,
        exchange.request.header('authorization'),
      );
      countRequest(limit, client.id);
      refuseGrantType(client, type);
      const { body, ended } = await grant.redeem({
        form,
        client,
        hasProof: exchange.request.header('dpop') !== undefined,
        jkt: () => possession.forTokens(exchange.request),
        address: exchange.address,
      });
      if (ended !== undefined) onEnd(exchange.http.res, (isAnswered) => void ended(isAnswered));
      return { status: 200, body };
    },
  };
}

function onEnd(res: ServerResponse, ended: (isAnswered: boolean) => void): void {
  if (res.closed) {
    ended(false);
    return;
  }
  let isAnswered = false;
  res.once('finish', () => (isAnswered = true)).once('close', () => ended(isAnswered));
}
