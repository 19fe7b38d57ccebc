import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GatewayError } from 'pegboard';
import { asGatewayError } from '../rpc/requestErrors.ts';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';
import type { ServerFacts } from './serverFacts.ts';
import type { Wire } from '../wire/wire.ts';

/** A session that a later connection may continue. */
export interface ResumableSession {
  readonly id: string;
  /** What initialize has agreed on. */
  readonly facts: ServerFacts;
  /** No request of an earlier connection had this id or a higher one. */
  readonly nextId: number;
}

/** How many requests one connection may send in a session that others continue. */
const IDS = 2 ** 32;

/** The session of a connection. An id is used once in a session: a late answer would be taken for that of another request. */
export function resumableSession(
  id: string,
  facts: ServerFacts,
  { lastId }: Pick<Requests, 'lastId'>,
): ResumableSession {
  return { id, facts, nextId: (Math.floor(lastId / IDS) + 1) * IDS };
}

/** Continues a session in place of initialize. One ping shows whether the server still has it.
 *  @returns undefined if it does not: initialize begins another
 *  @throws GatewayError of a server that was not reached, or wants to be asked later or with another credential */
export async function resume(
  requests: Requests,
  wire: Wire,
  { id, facts, nextId }: ResumableSession,
  timeoutMs: number,
): Promise<ServerFacts | undefined> {
  requests.speak('legacy');
  requests.lastId = Math.max(requests.lastId, nextId);
  wire.resume?.(id, facts.protocolVersion);
  const refusal = await requests.ask(rpcText('ping'), timeoutMs).then(() => undefined, asGatewayError);
  await nextTurn();
  if (refusal === undefined || isAnswer(requests, refusal)) {
    wire.agreed(facts.protocolVersion);
    return facts;
  }
  if (isOfMoment(refusal)) throw refusal;
  wire.renew();
  return undefined;
}

/** Whether an error is an answer in the session, of a server that knows no ping. */
function isAnswer({ liveness }: Requests, error: GatewayError): boolean {
  return (
    error.code === 'UPSTREAM_ERROR' && error.details.status === undefined && !liveness.isForgotten(error)
  );
}

/** Whether an error says nothing of the session. */
function isOfMoment({ code, details: { status } }: GatewayError): boolean {
  if (code === 'UPSTREAM_AUTH_REQUIRED' || status === 429) return true;
  return status === undefined && (code === 'UPSTREAM_UNREACHABLE' || code === 'UPSTREAM_CLOSED');
}
