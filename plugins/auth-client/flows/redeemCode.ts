import * as oauth from 'oauth4webapi';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { authenticationOf } from '../grants/refresh/authenticationOf.ts';
import type { Networks } from '../discovery/network.ts';
import { COMMAS, scopesIn } from '../discovery/scopesIn.ts';
import type { KeptGrant } from '../grants/record/grantRecord.ts';
import { tokenTimes } from '../grants/refresh/tokenTimes.ts';
import { answerIn, usedMembers } from '../grants/refresh/usedMembers.ts';
import type { Departure, SignInFlow } from './flowStore.ts';
import { requestOptions } from './serverRequest.ts';

const TIMEOUT_MS = 30_000;

export interface Arrival {
  readonly flow: SignInFlow;
  readonly departure: Departure;
  /** As oauth4webapi has validated it. */
  readonly answer: URLSearchParams;
}

/** Exchanges the code for tokens. @throws what oauth4webapi and guardedFetch throw. Source: RFC 6749 §4.1.3; RFC 8707 §2.2 */
export async function redeemCode(
  { flow, departure, answer }: Arrival,
  networks: Networks,
): Promise<KeptGrant> {
  const { url, issuer, isPinned, isFar, endpoints, client, redirectUri, resource, scope } = flow;
  const network = networks.of({ url, issuer: isPinned ? issuer : undefined, isFar });
  const fetch = await network.sender(new URL(endpoints.token), TIMEOUT_MS);
  const before = Date.now();
  const server = { issuer, token_endpoint: endpoints.token };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    { client_id: client.id },
    authenticationOf(client),
    answer,
    redirectUri,
    departure.verifier,
    {
      ...requestOptions(fetch, endpoints.token),
      additionalParameters: resource === undefined ? {} : { resource },
    },
  );
  const { used, expiresIn } = await readAnswer(response, isPinned);
  const tokens = await oauth.processGenericTokenEndpointResponse(server, { client_id: client.id }, used, {
    recognizedTokenTypes: { dpop: refuseBound },
  });
  return {
    url,
    issuer,
    client,
    tokenEndpoint: endpoints.token,
    ...(isPinned && { isPinned }),
    ...(isFar && { isFar }),
    ...(endpoints.revocation !== undefined && { revocationEndpoint: endpoints.revocation }),
    ...(resource !== undefined && { resource }),
    ...scopeOf(tokens.scope ?? scope, isPinned),
    accessToken: tokens.access_token,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    grantedAt: Date.now(),
    ...tokenTimes(before, expiresIn),
  };
}

async function readAnswer(
  response: Response,
  isPinned: boolean,
): Promise<{ readonly used: Response; readonly expiresIn?: unknown }> {
  const { status, headers } = response;
  const body = await answerIn(response);
  const hasError = isObject(body) && typeof body['error'] === 'string' && !('access_token' in body);
  // GitHub and Slack answer errors with 200.
  if (hasError) return { used: asJson(body, status === 200 ? 400 : status) };
  if (status !== 200 || !isObject(body)) return { used: new Response('', { status, headers }) };
  return { used: asJson(usedMembers(body, isPinned), status), expiresIn: body['expires_in'] };
}
function asJson(body: JsonObject, status: number): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

/** Without an answer about it, all that was asked for is granted (RFC 6749 §5.1). */
function scopeOf(scope: string | undefined, isPinned: boolean): Pick<KeptGrant, 'scope'> {
  const scopes = scopesIn(scope, isPinned ? COMMAS : ' ');
  return scopes.length === 0 ? {} : { scope: scopes.join(' ') };
}

/** A server would get it as Bearer. */
function refuseBound(): never {
  throw new oauth.UnsupportedOperationError('its token is bound to a key (DPoP)');
}
