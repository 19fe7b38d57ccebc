import { GatewayError } from 'pegboard';
import type { InboundRequest } from 'pegboard';
import type { ProviderTokens } from '../../contracts/oauth.ts';
import { claimsOf } from '../../kit/oauth/claimsOf.ts';

/** The id_token with which a caller writes; the service's own identity never writes for a caller. Source: requirement orchestrator.caller
 *  @param audience that of the API server, which an id_token must have
 *  @throws GatewayError STORE_FORBIDDEN without an id_token, STORE_AUDIENCE if it is for others; also the errors of ProviderTokens */
export async function callerToken(
  request: InboundRequest | undefined,
  tokens: ProviderTokens | undefined,
  audience: string,
): Promise<string> {
  const token = request === undefined ? undefined : await tokens?.idTokenOf(request);
  if (token === undefined) throw new GatewayError('STORE_FORBIDDEN', refusalOf(request, tokens));
  // Unverified: the API server verifies them.
  const { aud } = claimsOf(token);
  const audiences = [aud ?? []].flat() as readonly unknown[];
  if (audiences.includes(audience)) return token;
  const has = audiences.length === 0 ? 'no audience' : `the audience ${audiences.join(', ')}`;
  const text = `your sign-in cannot be used at the Kubernetes API: its id_token has ${has}, not ${audience}. Sign in again (pegboard auth logout, then pegboard auth login); if that does not help, the identity provider must add the audience for the scope audience:server:client_id:${audience}`;
  throw new GatewayError('STORE_AUDIENCE', text);
}

function refusalOf(request: InboundRequest | undefined, tokens: ProviderTokens | undefined): string {
  const why = 'definitions are custom resources, which are written with the identity of the caller';
  if (tokens === undefined)
    return `${why}: enable sign-in (aggregator.oauth.server), or change them with kubectl`;
  if (request?.caller === undefined)
    return `${why}, and this request has none (transport ${request?.transport ?? 'unknown'}): connect over HTTP and sign in, or change them with kubectl`;
  return `${why}, and there is no id_token of ${request.caller.subject}: sign in again (pegboard auth login), or change them with kubectl`;
}
