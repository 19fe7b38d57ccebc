import type { GatewayError, InboundRequest, Reply } from 'pegboard';
import { isGatewayError } from 'pegboard';
import type { HttpExchange, Route } from '../../contracts/http.ts';
import { securityHeaders } from '../../kit/http/securityHeaders.ts';
import { statusOf } from '../../kit/http/statusOf.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { SignInCounts } from './signInCounts.ts';
import type { Addresses } from './addresses.ts';
import { mediaTypeOf } from './mediaTypeOf.ts';
import { Params } from './params.ts';
import { refusalPage } from './refusalPage.ts';
import type { Refusals } from './refusals.ts';

const MAX_FORM_BYTES = 65_536;
const REFUSED = 'sign-in request refused';

/** One request to an endpoint of the authorization server. */
export interface OAuthExchange {
  readonly http: HttpExchange;
  readonly request: InboundRequest;
  /** Writes a refusal that is answered by a redirect to the log; the route logs those that are thrown. */
  readonly logRefusal: (refused: OAuthError) => void;
  /** The client's address; for IPv6 its /64 network. */
  readonly address: string;
}
export interface OAuthEndpoint {
  readonly method: Route['method'];
  readonly path: string;
  /** Default: public. */
  readonly access?: Route['access'];
  /** Whether responses may be cached: they contain no secrets. */
  readonly isCacheable?: boolean;
  /** Whether people come here in a browser: they get refusals as a page. */
  readonly isForBrowsers?: boolean;
  readonly handle: (exchange: OAuthExchange) => Reply | Promise<Reply>;
}

/** An endpoint as a route: limits by address, headers, and refusals in the form of RFC 6749 §5.2. */
export function oauthRoute(
  { method, path, access = 'public', isCacheable = false, isForBrowsers = false, handle }: OAuthEndpoint,
  addresses: Addresses,
  refusals: Refusals,
  counts: SignInCounts,
): Route {
  const withHeaders = (reply: Reply): Reply => ({
    ...reply,
    headers: { ...securityHeaders(addresses.isHttps), ...cacheHeaders(isCacheable), ...reply.headers },
  });
  return {
    method,
    path,
    access,
    refusalBody: gatewayRefusal,
    handle: async (http, request) => {
      const logRefusal = (refused: OAuthError): void => {
        const { reason, error, status } = refused;
        counts.refused(refused);
        if (status === 429) refusals.writeLimit(REFUSED, request, { path, error, reason });
        else refusals.write('info', REFUSED, request, { path, error, reason });
      };
      try {
        const address = refusals.count(request);
        return withHeaders(await handle({ http, request, address, logRefusal }));
      } catch (error) {
        const refused = asOAuthError(error);
        if (isGatewayError(error) && error.code === 'STORE_FORBIDDEN')
          refusals.write('warn', error.message, request, { path, reason: refused.reason });
        logRefusal(refused);
        const isPerson = isForBrowsers && request.header('accept')?.includes('text/html') === true;
        return withHeaders(isPerson ? refusalPage(refused) : refused.reply);
      }
    },
  };
}

/** @throws what it does not know */
function asOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (!isGatewayError(error)) throw error;
  if (error.code === 'STORE_UNREACHABLE' || error.code === 'PLUGIN_MISSING') {
    return OAuthError.unavailable('the store cannot be reached', 'store-unreachable');
  }
  // Clients need not know how much the store may hold.
  if (error.code === 'STORE_FORBIDDEN') return OAuthError.unavailable('the store is full', 'store-full');
  if (error.code === 'REQUEST_TOO_LARGE') {
    return new OAuthError('invalid_request', 'Request body too large', {
      status: 413,
      reason: 'too-large',
    });
  }
  if (statusOf(error.code) >= 500) throw error;
  return new OAuthError('invalid_request', error.message, { status: statusOf(error.code) });
}

function gatewayRefusal({ code, message }: GatewayError): { error: string; error_description: string } {
  return { error: statusOf(code) >= 500 ? 'server_error' : 'invalid_request', error_description: message };
}

/** The parameters of a form. The query is not read (RFC 6749 §3.2).
 *  @throws OAuthError invalid_request, also for another media type @throws GatewayError as HttpExchange.body() */
export async function formParameters({ http, request }: OAuthExchange): Promise<Params> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
    throw new OAuthError('invalid_request', 'send the parameters as application/x-www-form-urlencoded', {
      reason: 'not-a-form',
    });
  return new Params(new URLSearchParams(await http.body(MAX_FORM_BYTES)));
}

function cacheHeaders(isCacheable: boolean): Readonly<Record<string, string>> {
  return isCacheable
    ? { 'cache-control': 'public, max-age=300' }
    : { 'cache-control': 'no-store', pragma: 'no-cache' };
}
