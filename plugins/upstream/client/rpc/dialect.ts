import { VERSION } from 'pegboard';
import type { Client, JsonObject, McpLogLevel } from 'pegboard';
import type { Era, Topic } from '../options.ts';
import { headerValue } from './headerValue.ts';
import type { RpcText } from './rpcText.ts';

export const MODERN_REVISION = '2026-07-28';
export const CLIENT_INFO = { name: 'pegboard', version: VERSION };

const PREFIX = 'io.modelcontextprotocol/';
const VERSION_AND_CLIENT = `"${PREFIX}protocolVersion":"${MODERN_REVISION}","${PREFIX}clientInfo":${JSON.stringify(CLIENT_INFO)}`;

export interface DialectParts {
  /** What the server may ask. */
  readonly topics: () => readonly Topic[];
  /** The least severe log messages that any client wants. */
  readonly logLevel: () => McpLogLevel | undefined;
}

/** The form of requests to one server in the era that it has agreed to. */
export class Dialect {
  era: Era = 'legacy';
  readonly #parts: DialectParts;

  constructor(parts: DialectParts) {
    this.#parts = parts;
  }

  /** What each request of the modern era declares, as members of `_meta`; empty in the legacy era.
   *  @param era in which the request is written
   *  @param client declares what it can be asked; undefined for requests of the gateway itself
   *  Source: MCP 2026-07-28, `_meta` */
  envelope(era: Era, client: Client | undefined): string {
    if (era === 'legacy') return '';
    const { topics, logLevel } = this.#parts;
    const capabilities = client === undefined ? {} : declaredBy(client, topics());
    const level = client === undefined ? undefined : logLevel();
    const wanted = level === undefined ? '' : `,"${PREFIX}logLevel":"${level}"`;
    return `${VERSION_AND_CLIENT},"${PREFIX}clientCapabilities":${JSON.stringify(capabilities)}${wanted}`;
  }

  /** What each request of the modern era repeats for proxies, name and value in turn; undefined in the legacy era.
   *  Source: MCP 2026-07-28, Standard Request Headers */
  headers(era: Era, { method, name, mirrored }: RpcText): readonly string[] | undefined {
    if (era === 'legacy') return undefined;
    return [
      ...['mcp-protocol-version', MODERN_REVISION, 'mcp-method', method],
      ...(name === undefined ? [] : ['mcp-name', headerValue(name)]),
      ...(mirrored ?? []),
    ];
  }
}

function declaredBy({ capabilities }: Client, topics: readonly Topic[]): JsonObject {
  const known = topics.filter((topic) => capabilities[topic] !== undefined);
  return Object.fromEntries(known.map((topic) => [topic, capabilities[topic]]));
}
