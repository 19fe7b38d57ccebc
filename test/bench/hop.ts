/** Parts of the floor: the form of the front request, its session with the upstream, and the start. */
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { endWithParent } from './parent.ts';

export const PREFIX = 'x_up_';
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
export const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
} as const;

/** `tools/call` of `call_tool`, as the load generator posts it. */
export interface FrontRequest {
  readonly id: number | string;
  readonly params: { readonly arguments: { readonly name: string; readonly arguments: unknown } };
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench-floor', version: '1.0.0' },
  },
} as const;
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;

/** `http URL` or `stdio COMMAND ARGUMENT...` */
export function upstreamArguments(): { readonly url: URL | undefined; readonly command: readonly string[] } {
  const [kind, ...rest] = process.argv.slice(2);
  if (kind === 'http') return { url: new URL(rest[0] ?? ''), command: [] };
  return { url: undefined, command: rest };
}

/** Opens the upstream's session. @returns the headers of every later request */
export async function openHttpSession(url: URL): Promise<Record<string, string>> {
  const first = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(INITIALIZE) });
  await first.text();
  const headers = { ...HEADERS, 'mcp-session-id': first.headers.get('mcp-session-id') ?? '' };
  const second = await fetch(url, { method: 'POST', headers, body: JSON.stringify(INITIALIZED) });
  await second.text();
  return headers;
}

/** Listens on a free port of the loopback address and prints the URL. */
export function serve(app: Koa): void {
  const server = app.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
  });
  server.keepAliveTimeout = 60_000;
  endWithParent();
}
