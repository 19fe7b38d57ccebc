import { isGatewayError } from 'pegboard';
import type { InboundRequest, Reply } from 'pegboard';
import { OAuthError } from '../../auth-server/contract.ts';
import { html, page, securityHeaders, statusOf } from '../../http/contract.ts';
import type { HttpExchange, Route } from '../../http/contract.ts';
import type { OwnAddresses } from './ownAddresses.ts';

export interface BrowserEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (http: HttpExchange, request: InboundRequest) => Promise<Reply>;
}

/** A public route whose answers are pages and redirects. */
export function browserRoute({ method, path, handle }: BrowserEndpoint, addresses: OwnAddresses): Route {
  return {
    method,
    path,
    access: 'public',
    handle: async (http, request) => {
      const reply = await handle(http, request).catch(refusalPage);
      const headers = {
        ...securityHeaders(addresses.isHttps),
        'cache-control': 'no-store',
        ...reply.headers,
      };
      return { ...reply, headers };
    },
  };
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
