import { MCP_HEADERS } from './edge.ts';
import { eventsIn, textOf } from './mcpClient.ts';
import { openStream, send } from './rawHttp.ts';
import type { OpenStream, RawAnswer } from './rawHttp.ts';

type Json = Readonly<Record<string, unknown>>;

export const STATELESS = '2026-07-28';
const META = 'io.modelcontextprotocol/';

/** One message of revision 2026-07-28 with the headers that repeat it. */
export interface StatelessRequest {
  readonly body: Json & { readonly params: Json };
  readonly headers: Readonly<Record<string, string>>;
}
export interface StatelessOptions {
  readonly id?: number | string;
  readonly capabilities?: Json;
  /** Added to the `_meta` of every request. */
  readonly meta?: Json;
}

export function stateless(
  method: string,
  params: Json = {},
  { id = 1, capabilities = {}, meta = {} }: StatelessOptions = {},
): StatelessRequest {
  const own = { [`${META}protocolVersion`]: STATELESS, [`${META}clientCapabilities`]: capabilities };
  const name = params['name'] ?? params['uri'];
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...own, ...meta } } },
    headers: {
      ...MCP_HEADERS,
      'mcp-protocol-version': STATELESS,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
  };
}

/** A call of a meta-tool. */
export function statelessCall(
  name: string,
  args: Json = {},
  more: StatelessOptions & { readonly back?: Json } = {},
): StatelessRequest {
  return stateless('tools/call', { name, arguments: args, ...more.back }, more);
}

export function post(
  url: string,
  { body, headers }: StatelessRequest,
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<RawAnswer> {
  const all = Object.entries({ ...headers, ...change }).filter(([, value]) => value !== undefined);
  return send(`${url}/mcp`, {
    method: 'POST',
    headers: Object.fromEntries(all),
    body: JSON.stringify(body),
  });
}

/** The text of a call's result, in an answer that comes as a stream if it was slow. */
export function resultText({ text }: RawAnswer): string {
  const last = text.startsWith('{') ? text : (eventsIn(text).at(-1) ?? '');
  const { result } = JSON.parse(last) as { readonly result: Parameters<typeof textOf>[0] };
  return textOf(result);
}

/** Reads the answer's stream as it arrives. */
export function stream(url: string, { body, headers }: StatelessRequest): Promise<OpenStream> {
  return openStream(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
}
