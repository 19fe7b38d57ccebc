import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Topic } from '../options.ts';
import { capabilitiesFor, formsFrom, mayRefuseDeclared } from './declared.ts';
import type { Declared } from './declared.ts';
import { CLIENT_INFO } from '../rpc/dialect.ts';
import { patiently } from './patiently.ts';
import type { Patience } from './patiently.ts';
import { asGatewayError } from '../rpc/requestErrors.ts';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';
import { factsFrom } from './serverFacts.ts';
import type { ServerFacts } from './serverFacts.ts';
import { LEGACY_REVISIONS, wrongRevision } from './wrongRevision.ts';
import type { Wire } from '../wire/wire.ts';

export interface HandshakeParts extends Patience {
  readonly timeoutMs: number;
  readonly questions: readonly Topic[];
  /** What the server has let pass of them before. */
  readonly declared?: Declared | undefined;
  /** Whether the server is not used in the legacy era without a session. */
  readonly needsSession?: boolean;
  /** Redacts a text of the server about itself, and removes control characters. */
  readonly ownWords: (text: string) => string;
}

/** A server that has answered server/discover may expect the header of its revision on each request. */
const NAMED = { mirrored: ['mcp-method', 'initialize'] };

/** initialize, then notifications/initialized. A server that may have refused what is declared gets less, in the same attempt.
 *  @throws GatewayError UPSTREAM_PROTOCOL when no revision fits, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function handshake(requests: Requests, wire: Wire, parts: HandshakeParts): Promise<ServerFacts> {
  requests.speak('legacy');
  const forms = formsFrom(parts.declared, parts.questions);
  const tryFrom = async (at: number): Promise<ServerFacts> => {
    const [declared = 'modes', next] = forms.slice(at);
    try {
      return await initialize(requests, wire, { ...parts, declared });
    } catch (thrown) {
      const refusal = asGatewayError(thrown);
      if (isTaken(refusal)) throw taken(refusal);
      if (!mayRefuseDeclared(refusal)) throw refusal;
      if (next === undefined) throw at === 0 ? refusal : inAnyForm(refusal);
    }
    // A session that a refused initialize may have begun ends here.
    wire.renew();
    await nextTurn();
    return tryFrom(at + 1);
  };
  return tryFrom(0);
}

/** The official SDK's server with one transport for all, which the first client keeps; what it says after its DELETE, too. */
const ONE_SESSION = /already initiali[sz]ed|session not found/i;
export const ONE_SESSION_FIX =
  'it serves one session per start, which another client or an earlier connection has, or has ended: restart that server, and set keepSession: true to keep its session from then on; or let it begin a transport for each session';

export function isTaken({ message }: GatewayError): boolean {
  return ONE_SESSION.test(message);
}

function taken({ code, message, details, cause }: GatewayError): GatewayError {
  const text = `${message}; ${ONE_SESSION_FIX}`;
  return new GatewayError(code, text, { cause, details });
}

async function initialize(
  requests: Requests,
  wire: Wire,
  { timeoutMs, questions, declared = 'modes', needsSession = false, ownWords, ...patience }: HandshakeParts,
): Promise<ServerFacts> {
  const params = {
    protocolVersion: LEGACY_REVISIONS[0],
    capabilities: capabilitiesFor(questions, declared),
    clientInfo: CLIENT_INFO,
  };
  const answer = await patiently(
    () => requests.ask(rpcText('initialize', params, needsSession ? NAMED : {}), timeoutMs),
    patience,
  );
  // Over HTTP, what is sent in the turn of an answer cannot use its socket, and opens another one.
  await nextTurn();
  const { protocolVersion, serverInfo, capabilities, instructions } = JSON.parse(answer) as JsonObject;
  if (typeof protocolVersion !== 'string' || !LEGACY_REVISIONS.includes(protocolVersion))
    throw wrongRevision(protocolVersion, params.protocolVersion, ownWords);
  if (needsSession && wire.sessionId === undefined)
    throw new GatewayError('UPSTREAM_PROTOCOL', 'initialize was answered without a session');
  wire.agreed(protocolVersion);
  wire.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const said = { serverInfo, capabilities, instructions };
  return factsFrom({ era: 'legacy', declared, protocolVersion, ...said }, ownWords);
}

function inAnyForm({ code, message, details, cause }: GatewayError): GatewayError {
  const text = `${message}; it answers so whether all, some or none of its questions are declared`;
  return new GatewayError(code, text, { cause, details });
}
