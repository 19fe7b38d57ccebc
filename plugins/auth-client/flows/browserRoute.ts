import { isGatewayError } from 'pegboard';
import type { InboundRequest, Reply } from 'pegboard';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { html, page } from '../../kit/http/page.ts';
import { securityHeaders } from '../../kit/http/securityHeaders.ts';
import { statusOf } from '../../kit/http/statusOf.ts';
import type { HttpExchange, Route } from '../../contracts/http.ts';
import type { LineLimit } from '../../kit/http/lineLimit.ts';
import type { FailureReply } from './failurePage.ts';
import type { OwnAddresses } from './ownAddresses.ts';

export interface BrowserEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (http: HttpExchange, request: InboundRequest) => Promise<Reply>;
}

/** A public route whose answers are pages and redirects; each failure of a sign-in has a line in the log.
 *  @param refusals limits log lines about failures */
export function browserRoute(
  { method, path, handle }: BrowserEndpoint,
  addresses: Pick<OwnAddresses, 'isHttps'>,
  refusals: LineLimit,
): Route {
  const logFailure = ({ failure, facts }: FailureReply, request: InboundRequest): void => {
    const { id, remoteAddress: address = 'unknown' } = request;
    // A link that has expired, or was made up, needs no operator.
    const level = facts === undefined ? 'info' : 'warn';
    refusals.write(level, 'sign-in at a server not completed', {
      ...facts,
      reason: failure,
      path,
      address,
      request: id,
    });
  };
  return {
    method,
    path,
    access: 'public',
    handle: async (http, request) => {
      const reply = await handle(http, request).catch(refusalPage);
      if (isFailure(reply)) logFailure(reply, request);
      const headers = {
        ...securityHeaders(addresses.isHttps),
        'cache-control': 'no-store',
        ...reply.headers,
      };
      return { status: reply.status, headers, ...(reply.body !== undefined && { body: reply.body }) };
    },
  };
}

function isFailure(reply: Reply): reply is FailureReply {
  return 'failure' in reply;
}

/** @throws what is not for people */
function refusalPage(error: unknown): Reply {
  if (error instanceof OAuthError) return page('Sign-in', html`<p>${error.message}</p>`, error);
  if (!isGatewayError(error) || !error.expose) throw error;
  const status = statusOf(error.code);
  const text =
    status >= 500 ? 'This gateway cannot continue the sign-in now. Please try again later.' : error.message;
  return page('Sign-in', html`<p>${text}</p>`, { status });
}
