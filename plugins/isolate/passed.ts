import type { ClientRequest, IncomingMessage } from 'node:http';

/** What is for one connection, and no part of the message. Source: RFC 9110 §7.6.1 */
const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'expect', 'host'],
]);

/** Its failure may come before anyone listens. */
export function silent(sent: ClientRequest): ClientRequest {
  return sent.on('error', () => undefined);
}

/** Whether a message has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** The headers of a message without those of its connection. */
export function passed({ headersDistinct }: IncomingMessage): Record<string, string[]> {
  const named = (headersDistinct['connection'] ?? []).flatMap((list) => list.toLowerCase().split(/[\s,]+/));
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      OF_CONNECTION.has(name) || (named.includes(name) && name !== 'content-length') ? [] : [[name, values]],
    ),
  );
}
