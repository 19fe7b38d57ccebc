import { isObject } from 'pegboard';
import type { InboundRequest, JsonObject, McpLogLevel } from 'pegboard';
import { questionsOf } from '../message/questionsOf.ts';
import { CodecError, RPC } from '../message/codec.ts';
import type { Message } from '../message/codec.ts';
import { isLogLevel } from '../client/logLevels.ts';

export const STATELESS_REVISIONS = ['2026-07-28'] as const;
const PREFIX = 'io.modelcontextprotocol/';
export const VERSION_KEY = `${PREFIX}protocolVersion`;
export const SERVER_INFO_KEY = `${PREFIX}serverInfo`;
export const SUBSCRIPTION_KEY = `${PREFIX}subscriptionId`;
const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`;
const CLIENT_KEY = `${PREFIX}clientInfo`;
const LOG_LEVEL_KEY = `${PREFIX}logLevel`;
/** Pegboard's own key: the owner handle of a request without sign-in, in answers and then in requests. */
export const OWNER_KEY = 'pegboard.dev/owner';

/** MCP 2026-07-28, Error Codes. */
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

/** The member of the parameters that the header Mcp-Name repeats. */
const NAMED_BY = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** What `_meta` of a request declares about its client. */
export interface Envelope {
  readonly capabilities: JsonObject;
  /** The name that it gives itself; empty without one. */
  readonly client: string;
  /** The least severe log messages that it wants; undefined for none. */
  readonly logLevel: McpLogLevel | undefined;
  /** The owner handle, not validated; undefined without one. */
  readonly owner: unknown;
  readonly revision: string;
}

/** Reads `_meta` and checks the headers against the body. Source: MCP 2026-07-28, `_meta` and Server Validation.
 *  @throws CodecError */
export function readEnvelope(
  { id, method, params }: Message & { readonly kind: 'request' },
  request: Pick<InboundRequest, 'header'>,
): Envelope {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const {
    [VERSION_KEY]: version,
    [CAPABILITIES_KEY]: capabilities,
    [CLIENT_KEY]: info,
    [LOG_LEVEL_KEY]: logLevel,
    [OWNER_KEY]: owner,
  } = meta;
  const invalid = (text: string): CodecError => new CodecError(RPC.invalidParams, `params._meta ${text}`, id);
  if (typeof version !== 'string') throw invalid(`needs "${VERSION_KEY}", a string`);
  checkHeader('MCP-Protocol-Version', version, request.header('mcp-protocol-version'), id);
  if (!STATELESS_REVISIONS.some((known) => known === version)) {
    const data = { supported: [...STATELESS_REVISIONS], requested: version.slice(0, 100) };
    throw new CodecError(UNSUPPORTED_VERSION, 'Unsupported protocol version', id, data);
  }
  if (!isObject(capabilities)) throw invalid(`needs "${CAPABILITIES_KEY}", an object`);
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw invalid(`has an unknown "${LOG_LEVEL_KEY}"`);
  checkHeader('Mcp-Method', method, request.header('mcp-method'), id);
  const member = NAMED_BY.get(method);
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string') checkHeader('Mcp-Name', name, decoded(request.header('mcp-name')), id);
  const client = isObject(info) && typeof info['name'] === 'string' ? info['name'] : '';
  return { capabilities: questionsOf(capabilities), client, logLevel, owner, revision: version };
}

/** Proxies may have routed the request by the header, so it must match. */
function checkHeader(name: string, inBody: string, inHeader: string | undefined, id: string | number): void {
  if (inHeader === inBody) return;
  const [short, other] = [inBody, inHeader ?? ''].map((text) => JSON.stringify(text.slice(0, 100)));
  const text =
    inHeader === undefined
      ? `Header mismatch: send the header ${name}: ${short ?? ''}`
      : `Header mismatch: ${name} is ${other ?? ''}, the body has ${short ?? ''}`;
  throw new CodecError(HEADER_MISMATCH, text, id);
}

/** Values that a header cannot hold are sent in base64. A malformed encoding is returned unchanged and so matches nothing.
 *  Source: MCP 2026-07-28, Value Encoding. */
export function decoded(value: string | undefined): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : value;
}
