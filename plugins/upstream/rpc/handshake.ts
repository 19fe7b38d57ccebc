import { GatewayError, VERSION, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Topic } from '../definition.ts';
import type { Requests } from './requests.ts';
import { rpcText } from './rpcText.ts';
import type { Wire } from '../wire/wire.ts';

/** Newest first: the first is requested, any of them is accepted. */
const REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const MAX_REVISION_CHARS = 40;

/** Everything that any client may declare; requests that the actual client does not support are refused. `listChanged` of
 *  roots is left out: a server would answer that notification with a request that belongs to no call. */
const DECLARED: Readonly<Record<Topic, JsonObject>> = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

/** The server's answer to initialize. */
export interface ServerFacts {
  readonly protocolVersion: string;
  readonly serverName: string | undefined;
  readonly serverVersion: string | undefined;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

export interface HandshakeParts {
  readonly timeoutMs: number;
  readonly questions: readonly Topic[];
  /** Redacts a text of the server about itself, and removes control characters. */
  readonly ownWords: (text: string) => string;
}

/** initialize, then notifications/initialized.
 *  @throws GatewayError UPSTREAM_PROTOCOL when no revision fits, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function handshake(
  requests: Requests,
  wire: Wire,
  { timeoutMs, questions, ownWords }: HandshakeParts,
): Promise<ServerFacts> {
  const params = {
    protocolVersion: REVISIONS[0],
    capabilities: Object.fromEntries(questions.map((topic) => [topic, DECLARED[topic]])),
    clientInfo: { name: 'pegboard', version: VERSION },
  };
  const answer = await requests.ask(rpcText('initialize', params), timeoutMs);
  const { protocolVersion, serverInfo, capabilities, instructions } = JSON.parse(answer) as JsonObject;
  if (typeof protocolVersion !== 'string' || !REVISIONS.includes(protocolVersion)) {
    const given = typeof protocolVersion === 'string' ? ownWords(protocolVersion) : protocolVersion;
    const shown = JSON.stringify(given ?? null).slice(0, MAX_REVISION_CHARS);
    const text = `the server speaks MCP revision ${shown}; supported are ${REVISIONS.join(', ')}`;
    // A later attempt cannot succeed.
    throw new GatewayError('UPSTREAM_PROTOCOL', text, { details: { isFinal: true } });
  }
  wire.agreed(protocolVersion);
  wire.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const info = isObject(serverInfo) ? serverInfo : {};
  const said = (value: unknown): string | undefined =>
    typeof value === 'string' ? ownWords(value) : undefined;
  return {
    protocolVersion,
    serverName: said(info['name']),
    serverVersion: said(info['version']),
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: said(instructions),
  };
}
