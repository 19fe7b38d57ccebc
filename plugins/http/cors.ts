import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpConfig } from './config.ts';

/** The request headers that MCP, OAuth, W3C Trace Context and Pegboard use. */
const HEADERS = [
  ...['authorization', 'content-type', 'last-event-id', 'mcp-session-id', 'mcp-protocol-version'],
  ...['mcp-method', 'mcp-name', 'x-service-toolset', 'idempotency-key', 'dpop'],
  ...['traceparent', 'tracestate', 'baggage'],
].join(', ');
/** Seconds; Chromium caches no preflight longer. */
const MAX_AGE = '7200';

/** Lets pages of `allowedOrigins` read responses, and answers the preflights of their browsers. Source: WHATWG Fetch, CORS protocol.
 *  @returns whether the request was a preflight, which is answered then */
export type Cors = (req: IncomingMessage, res: ServerResponse) => boolean;

/** @param methods of all routes */
export function createCors({ allowedOrigins }: HttpConfig, methods: readonly string[]): Cors {
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  return ({ method, headers }, res) => {
    const { origin } = headers;
    if (origin === undefined || !origins.has(origin.toLowerCase())) return false;
    res.setHeader('access-control-allow-origin', origin);
    res.setHeader('vary', 'Origin');
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      res.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate, dpop-nonce');
      return false;
    }
    res.setHeader('access-control-allow-methods', methods.join(', '));
    res.setHeader('access-control-allow-headers', HEADERS);
    res.setHeader('access-control-max-age', MAX_AGE);
    res.writeHead(204).end();
    return true;
  };
}
