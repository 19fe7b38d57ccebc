import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from 'pegboard';
import type { Era, ServerOptions, Transport } from '../options.ts';
import { discover } from './discover.ts';
import { handshake } from './handshake.ts';
import type { HandshakeParts } from './handshake.ts';
import type { KnownEra } from './lastEra.ts';
import { asGatewayError } from '../rpc/requestErrors.ts';
import type { Requests } from '../rpc/requests.ts';
import type { ServerFacts } from './serverFacts.ts';
import { isFinal } from './wrongRevision.ts';
import type { Wire } from '../wire/wire.ts';

/** How long server/discover is waited for, if initialize can be sent after it. */
const PROBE_MS = 5_000;

/** The eras to try, in order. A process that starts is asked in the legacy era first, because some servers end at a request
 *  before initialize; over HTTP, requests of an unknown era do no harm.
 *  @param last in which the server was connected before */
export function erasToTry(
  { type, revision }: { readonly type: Transport } & Pick<ServerOptions, 'revision'>,
  last: Era | undefined,
): readonly Era[] {
  if (type === 'sse') return ['legacy'];
  if (revision !== 'auto') return [revision];
  const first = last ?? (type === 'stdio' ? 'legacy' : 'modern');
  return first === 'legacy' ? ['legacy', 'modern'] : ['modern', 'legacy'];
}

export interface NegotiationParts extends Omit<HandshakeParts, 'declared' | 'needsSession'> {
  readonly eras: readonly Era[];
  /** It is a process that has not answered yet: that it is slow says nothing of what it speaks. */
  readonly isStarting?: boolean;
  /** What the server has agreed to before. */
  readonly known?: KnownEra | undefined;
  /** Called with how to begin the next time; not called if the server may speak a better era. */
  readonly learned?: (facts: ServerFacts) => void;
}

/** Agrees on an era with the server: only an answer that belongs to an era decides for it, never an error.
 *  @throws GatewayError UPSTREAM_* */
export async function negotiate(
  requests: Requests,
  wire: Wire,
  { eras, learned, known, isStarting = false, ...rest }: NegotiationParts,
): Promise<ServerFacts> {
  const [first = 'legacy', other] = eras;
  const parts = { ...rest, declared: known?.declared };
  if (other === undefined) {
    const facts = await greet(first, requests, wire, parts);
    if (facts.declared !== 'modes') learned?.(facts);
    return facts;
  }
  const isProbe = first === 'modern' && !isStarting;
  const probeMs = isProbe ? Math.min(parts.timeoutMs, PROBE_MS) : parts.timeoutMs;
  const isDual = known?.isDual === true;
  try {
    const facts = await greet(first, requests, wire, { ...parts, timeoutMs: probeMs, needsSession: isDual });
    const isNew = first === 'modern' && known === undefined;
    const best = isNew
      ? await inSession(facts, requests, wire, parts)
      : { facts: { ...facts, isDual }, isSure: true };
    if (best.isSure) learned?.(best.facts);
    return best.facts;
  } catch (thrown) {
    const refusal = asGatewayError(thrown);
    const isSlow = isStarting && refusal.code === 'UPSTREAM_TIMEOUT';
    if (isSlow || !mayBeOther(first, refusal)) throw refusal;
    await begin(wire);
    const facts = await greet(other, requests, wire, parts).catch((error: unknown) => {
      throw both(first, refusal, asGatewayError(error));
    });
    if (!isFault(refusal)) learned?.(facts);
    return facts;
  }
}

/** A server that keeps sessions as well is connected in the legacy era: there it can ask in every way, tell its logs and updates, and
 *  it still takes requests of the modern one (D142). @param facts in the modern era */
async function inSession(
  facts: ServerFacts,
  requests: Requests,
  wire: Wire,
  parts: HandshakeParts,
): Promise<{ readonly facts: ServerFacts; readonly isSure: boolean }> {
  const timeoutMs = Math.min(parts.timeoutMs, PROBE_MS);
  const status = (await wire.statusOf?.('GET', timeoutMs)) ?? 0;
  if (!mayKeepSessions(status)) return { facts, isSure: status > 0 && status < 500 };
  try {
    const older = await handshake(requests, wire, { ...parts, timeoutMs, needsSession: true });
    return { facts: { ...older, isDual: true }, isSure: true };
  } catch (thrown) {
    const refusal = asGatewayError(thrown);
    await begin(wire);
    requests.speak('modern');
    return { facts, isSure: mayBeOther('modern', refusal) && !isFault(refusal) };
  }
}

/** Whether a status of a GET without a session is one of servers that keep sessions: 2026-07-28 has no GET, so others answer 405.
 *  Asked first, because some servers of that revision alone do not expect initialize. */
function mayKeepSessions(status: number): boolean {
  return status > 0 && status < 500 && !NO_STREAM.has(status);
}
const NO_STREAM: ReadonlySet<number> = new Set([403, 404, 405]);

/** A session that a refused initialize may have begun ends here. */
async function begin(wire: Wire): Promise<void> {
  wire.renew();
  await nextTurn();
}

function greet(era: Era, requests: Requests, wire: Wire, parts: HandshakeParts): Promise<ServerFacts> {
  return era === 'legacy' ? handshake(requests, wire, parts) : discover(requests, parts);
}

/** Whether a server that answers so may speak the other era. Old servers, and what is before them, treat server/discover in
 *  any way; only a server that cannot be reached, or wants to be asked later, is not asked at once in another way. */
function mayBeOther(era: Era, { code, details }: GatewayError): boolean {
  if (code === 'UPSTREAM_ERROR' || code === 'UPSTREAM_PROTOCOL') return true;
  if (era === 'legacy') return false;
  return code === 'UPSTREAM_TIMEOUT' || isFault({ code, details });
}

/** Whether an error is of a moment, and says nothing of what the server speaks. Some old servers never answer server/discover,
 *  so a time-out says something. */
function isFault({ code, details }: Pick<GatewayError, 'code' | 'details'>): boolean {
  return code === 'UPSTREAM_CLOSED' || code === 'UPSTREAM_AUTH_REQUIRED' || (details.status ?? 0) >= 500;
}

/** The error of a server that speaks neither. An old server's answer to server/discover says nothing. */
function both(first: Era, refusal: GatewayError, error: GatewayError): GatewayError {
  if (refusal.code === 'UPSTREAM_AUTH_REQUIRED') return refusal;
  const isTelling = first === 'legacy' || refusal.code === 'UPSTREAM_PROTOCOL';
  const { code, message, details } = error;
  if (!isTelling || isFinal(error)) return error;
  if (isFinal(refusal)) return refusal;
  return new GatewayError(code, bothWords(refusal.message, message), { cause: error, details });
}

const GREETING = /\b(?:initialize|server\/discover)\b/;

/** Both answers; one sentence if they differ by the name of the greeting at most. */
function bothWords(one: string, other: string): string {
  if (one === other) return one;
  if (one.replace(GREETING, '') !== other.replace(GREETING, '')) return `${one}; ${other}`;
  return other.replace(GREETING, 'initialize and server/discover');
}
