import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from 'pegboard';
import type { Topic } from '../definition.ts';
import { CLIENT_INFO } from '../rpc/dialect.ts';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';
import { factsFrom } from './serverFacts.ts';
import type { ServerFacts } from './serverFacts.ts';
import { LEGACY_REVISIONS, wrongRevision } from './wrongRevision.ts';
import type { Wire } from '../wire/wire.ts';

/** Everything that any client may declare; requests that the actual client does not support are refused. `listChanged` of
 *  roots is left out: a server would answer that notification with a request that belongs to no call. */
const DECLARED: Readonly<Record<Topic, JsonObject>> = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

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
  requests.speak('legacy');
  const params = {
    protocolVersion: LEGACY_REVISIONS[0],
    capabilities: Object.fromEntries(questions.map((topic) => [topic, DECLARED[topic]])),
    clientInfo: CLIENT_INFO,
  };
  const answer = await requests.ask(rpcText('initialize', params), timeoutMs);
  // Over HTTP, what is sent in the turn of an answer cannot use its socket, and opens another one.
  await nextTurn();
  const { protocolVersion, serverInfo, capabilities, instructions } = JSON.parse(answer) as JsonObject;
  if (typeof protocolVersion !== 'string' || !LEGACY_REVISIONS.includes(protocolVersion))
    throw wrongRevision(protocolVersion, params.protocolVersion, ownWords);
  wire.agreed(protocolVersion);
  wire.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return factsFrom({ era: 'legacy', protocolVersion, serverInfo, capabilities, instructions }, ownWords);
}
