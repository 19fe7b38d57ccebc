import * as oauth from 'oauth4webapi';
import { isObject } from 'pegboard';
import type { GuardedFetch } from 'pegboard/net';
import { authenticationOf } from './authenticationOf.ts';
import type { Networks } from '../../discovery/network.ts';
import { COMMAS, scopesIn } from '../../discovery/scopesIn.ts';
import type { KeptGrant } from '../record/grantRecord.ts';
import { RefreshFault } from './refreshFault.ts';
import { tokenTimes } from './tokenTimes.ts';
import { answerIn, usedMembers } from './usedMembers.ts';

const TIMEOUT_MS = 30_000;

/** Asks the token endpoint that the grant was given by for new tokens, and no other. @throws RefreshFault
 *  Source: RFC 6749 §6, RFC 8707 §2.2 */
export async function refreshedGrant(grant: KeptGrant, networks: Networks): Promise<KeptGrant> {
  try {
    // It ends by its time limit only: a request that is cut off may have spent the refresh token.
    const { url, isPinned, isFar, issuer } = grant;
    const server = networks.of({ url, issuer: isPinned && issuer, isFar }, new AbortController().signal);
    const send = await server.sender(new URL(grant.tokenEndpoint), TIMEOUT_MS);
    const before = Date.now();
    const response = await request(grant, send);
    return await grantIn(response, grant, before);
  } catch (error) {
    throw RefreshFault.from(error);
  }
}

function request(grant: KeptGrant, send: GuardedFetch): Promise<Response> {
  const { client, refreshToken = '', resource, tokenEndpoint } = grant;
  return oauth.refreshTokenGrantRequest(
    serverOf(grant),
    { client_id: client.id },
    authenticationOf(client),
    refreshToken,
    {
      ...(resource !== undefined && { additionalParameters: { resource } }),
      [oauth.customFetch]: (url, options) => send(url, options),
      // Deprecated only to be noticed; sender() lets http pass for this machine only.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      [oauth.allowInsecureRequests]: tokenEndpoint.startsWith('http:'),
    },
  );
}

function serverOf({ issuer, tokenEndpoint }: KeptGrant): oauth.AuthorizationServer {
  return { issuer, token_endpoint: tokenEndpoint };
}

/** @param before when the request began @throws RefreshFault, or what oauth4webapi throws */
async function grantIn(response: Response, grant: KeptGrant, before: number): Promise<KeptGrant> {
  const body = await answerIn(response);
  const isPinned = grant.isPinned === true;
  if (response.status !== 200 || (isObject(body) && !('access_token' in body)))
    throw RefreshFault.of(response, body);
  if (!isObject(body))
    throw new RefreshFault('the answer of the token endpoint is not JSON', { mayBeSpent: true });
  const used = usedMembers(body, isPinned);
  const tokens = await oauth.processRefreshTokenResponse(
    serverOf(grant),
    { client_id: grant.client.id },
    new Response(JSON.stringify(used), { status: 200, headers: { 'content-type': 'application/json' } }),
    { recognizedTokenTypes: { dpop: refuseBound } },
  );
  return {
    ...grant,
    expiresAt: undefined,
    refreshAt: undefined,
    hasNoLifetime: undefined,
    isAfterRefusal: undefined,
    accessToken: tokens.access_token,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    ...(tokens.scope !== undefined && { scope: scopesIn(tokens.scope, isPinned ? COMMAS : ' ').join(' ') }),
    ...tokenTimes(before, body['expires_in']),
  };
}

/** It would be sent as Bearer. @throws RefreshFault */
function refuseBound(): never {
  throw new RefreshFault('the authorization server gives tokens that are bound to a key', {
    loss: 'token-type',
  });
}
