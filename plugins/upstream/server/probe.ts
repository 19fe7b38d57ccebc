import { GatewayError, messageOf, plainText } from 'pegboard';
import { hiderOf, secretsGiven } from 'pegboard/kit';
import type { UpstreamConfig } from '../config.ts';
import type { ProbeTarget, Probed } from '../../contracts/servers.ts';
import type { TlsTrust } from '../../kit/tls/tlsTrust.ts';
import { ONE_SESSION_FIX, isTaken } from '../client/revision/handshake.ts';
import { erasToTry, negotiate } from '../client/revision/negotiate.ts';
import type { RemoteTransport as Transport } from '../client/options.ts';
import { asGatewayError } from '../client/rpc/requestErrors.ts';
import { Requests } from '../client/rpc/requests.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import type { Ticker } from '../client/rpc/ticker.ts';
import type { WireListener } from '../client/wire/wire.ts';
import { remoteWire } from '../connection/dialer.ts';
import { commonRoute } from '../connection/routeOf.ts';

export interface ProbeParts {
  readonly config: () => UpstreamConfig;
  readonly ticker: Ticker;
  readonly trust: TlsTrust;
}
type Found = Omit<Probed, 'reachable' | 'requiresAuth' | 'challenges'>;
interface Outcome {
  readonly found?: Found;
  /** The status of an HTTP response. */
  readonly status?: number | undefined;
  readonly challenges?: readonly string[] | undefined;
  /** Why no MCP server was found. */
  readonly why: string;
}

const MAX_CHARS = 200;

/** Tries streamable HTTP, then the older transport, and disconnects. Never throws because of what the url answers. Source: requirement server.detect */
export async function probe(target: ProbeTarget, parts: ProbeParts): Promise<Probed> {
  const outcomes: Outcome[] = [];
  for (const transport of ['streamable-http', 'sse'] as const) {
    const outcome = await attempt(transport, target, parts);
    outcomes.push(outcome);
    if (outcome.found !== undefined || target.signal.aborted) break;
  }
  const found = outcomes.at(-1)?.found;
  const challenges = outcomes.find((outcome) => outcome.challenges !== undefined)?.challenges;
  return {
    reachable: found !== undefined || outcomes.some(({ status }) => status !== undefined),
    requiresAuth: outcomes.some(({ status }) => status === 401),
    ...(challenges && { challenges }),
    ...(found ?? { transport: 'unknown', detail: whyUnknown(outcomes) }),
  };
}

function whyUnknown(outcomes: readonly Outcome[]): string {
  const [post = '', get = ''] = outcomes.map(({ why }) => why);
  if (outcomes.every(({ status }) => status === undefined)) return `not reachable: ${post}`;
  const told = `POST: ${post}, GET: ${get}`;
  if (outcomes.some(({ status }) => status === 401))
    return `the server requires a sign-in before it identifies itself (${told}); most such servers are streamable-http`;
  return `no MCP server answers at this url (${told})`;
}

async function attempt(
  transport: Transport,
  { url: given, headers, maxMessageBytes, signal }: ProbeTarget,
  { config, ticker, trust }: ProbeParts,
): Promise<Outcome> {
  const url = new URL(given);
  const hide = hiderOf(secretsGiven({ values: Object.entries(headers), url: given }));
  const redact = (text: string): string => plainText(hide(text));
  const requests = new Requests(url.host, ticker, {
    limits: () => ({ silenceMs: Infinity, totalMs: Infinity }),
    lateLimits: config,
    refusal: () => undefined,
    notified: () => undefined,
    asked: () => undefined,
    topics: () => [],
    logLevel: () => undefined,
    incomplete: () => Promise.reject(new GatewayError('UPSTREAM_PROTOCOL', 'the probe makes no calls')),
    upkeep: () => ({ doubted: () => false, timedOut: () => false, answeredAgain: () => undefined }),
    lost: () => undefined,
    output: { noise: () => undefined, redact, hideInProse: redact, isRepeatedIn: () => false },
  });
  // connectMs 0 means no time-out: the signal ends the attempt.
  const options = {
    ...config(),
    limits: config,
    url,
    route: commonRoute(url, config()),
    headers: () => headers,
    connectMs: 0,
    maxMessageBytes,
    redact,
    trust,
    proxyTrust: trust,
    memory: () => undefined,
  };
  const wire = await remoteWire(transport, options, listenerOf(requests));
  requests.use(wire);
  let isOpen = false;
  try {
    await unlessAborted(signal, wire.open());
    isOpen = true;
    const eras = erasToTry({ type: transport, revision: 'auto' }, 'legacy');
    const parts = { eras, timeoutMs: Infinity, questions: [], ownWords: redact };
    const greeting = negotiate(requests, wire, parts);
    return { found: answering(transport, await unlessAborted(signal, greeting)), why: '' };
  } catch (error) {
    const refusal = asGatewayError(error);
    const outcome = outcomeOf(transport, refusal, redact);
    if (outcome.found !== undefined || transport !== 'sse' || !isOpen) return outcome;
    return { ...outcome, found: { transport, detail: announced(refusal, redact) } };
  } finally {
    requests.abandon(new GatewayError('UPSTREAM_CLOSED', 'the probe is over'));
    await wire.close(true);
  }
}

function listenerOf(requests: Requests): WireListener {
  const closed = (error: GatewayError): void => requests.abandon(error);
  return {
    message: (text, about) => {
      // A message must not end the process, whatever it holds.
      try {
        return requests.message(text, about);
      } catch (error) {
        closed(asGatewayError(error));
        return 1;
      }
    },
    failed: (outgoing, error) => requests.failed(outgoing, error),
    notTaken: (outgoing, error, isOutdated) => requests.notTaken(outgoing, error, isOutdated),
    doubted: () => undefined,
    reopened: () => undefined,
    closed,
  };
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject);
  });
}

function answering(
  transport: Transport,
  { era, serverName, serverVersion, protocolVersion }: ServerFacts,
): Found {
  return {
    transport,
    ...(serverName !== undefined && { serverName: serverName.slice(0, MAX_CHARS) }),
    ...(serverVersion !== undefined && { serverVersion: serverVersion.slice(0, MAX_CHARS) }),
    detail: `an MCP server answers ${era === 'legacy' ? 'initialize' : 'server/discover'} with revision ${protocolVersion}`,
  };
}

/** @param refusal why initialize failed; a refused path for messages is not one that can be used */
function announced(
  { code, message, details: { status } }: GatewayError,
  redact: (text: string) => string,
): string {
  const detail = 'the server names the url for messages, as in the older transport';
  if (status === undefined || code === 'UPSTREAM_AUTH_REQUIRED') return detail;
  return `${detail}, but cannot be used there: ${redact(message)}`;
}

/** A JSON-RPC answer, even an error, comes from an MCP server; other HTTP responses do not. */
function outcomeOf(transport: Transport, error: GatewayError, redact: (text: string) => string): Outcome {
  const { status, serverMessage } = error.details;
  const { challenges } = error.code === 'UPSTREAM_AUTH_REQUIRED' ? error.details : {};
  const why = status === undefined ? redact(messageOf(error)) || 'the connection failed' : `HTTP ${status}`;
  if (serverMessage !== undefined) {
    const fix = isTaken(error) ? `; ${ONE_SESSION_FIX}` : '';
    const detail = `an MCP server answers, but refuses initialize: ${serverMessage.slice(0, MAX_CHARS)}${fix}`;
    return { status, challenges, why, found: { transport, detail } };
  }
  if (status !== undefined || error.code !== 'UPSTREAM_PROTOCOL') return { status, challenges, why };
  return { why, found: { transport, detail: `an MCP server answers, but cannot be used: ${why}` } };
}
