import type { ServerResponse } from 'node:http';
import { isGatewayError } from 'pegboard';
import type { InboundRequest, Reply, Scope } from 'pegboard';
import { Front, StatelessFront } from '../contracts/mcp.ts';
import type { HttpExchange, Route } from '../contracts/http.ts';
import type { Session } from '../contracts/sessions.ts';
import { MAX_MESSAGE_BYTES } from '../kit/processes/peerQuestions.ts';
import type { FarStreams } from './farStreams.ts';
import { PostSink } from './postSink.ts';
import { isOfStanding } from './resumableStream.ts';
import type { StreamConfig } from './config.ts';
import {
  checkPostHeaders,
  checkRevision,
  checkStreamHeaders,
  postOnly,
  requiredSession,
  sessionOf,
} from './headers.ts';
import { refusal, rpcRefusal } from './refusals.ts';
import { StatelessPostSink } from './statelessPostSink.ts';
import type { Streams } from './streams.ts';

/** The second path is for clients that cannot send X-Service-Toolset. */
const PATHS = ['/mcp', '/mcp/t/:preset'];

/** POST, GET and DELETE of MCP's streamable HTTP transport. */
export function mcpRoutes(scope: Scope<StreamConfig>, far: FarStreams): readonly Route[] {
  const { streams } = far;
  const noted = new Set<string>();
  const fronts: Fronts = {
    get front() {
      return scope.get(Front);
    },
    get stateless() {
      return scope.get(StatelessFront);
    },
    differs(named, agreed) {
      // Both are known revisions, so they are few.
      const pair = `${named} ${agreed}`;
      if (noted.has(pair)) return;
      noted.add(pair);
      scope.log.info('a client names another revision than its session agreed on; the session continues', {
        named,
        agreed,
      });
    },
  };
  const routes = (method: Route['method'], handle: Route['handle']): readonly Route[] =>
    PATHS.map((path) => ({
      method,
      path,
      access: 'caller',
      handle: (exchange, request) => {
        checkPath(request);
        return handle(exchange, request);
      },
      refusalBody: rpcRefusal,
    }));
  return [
    ...routes('POST', (exchange, request) => post(fronts, exchange, request, streams)),
    ...routes('GET', (exchange, request) => openStream(fronts, exchange, request, far)),
    ...routes('DELETE', (_, request) => end(fronts, request, streams)),
  ];
}

/** Refuses a preset in the path if no plugin applied it, because the request would then see everything. */
function checkPath({ preset, toolset }: InboundRequest): void {
  let narrowing = toolset;
  while (narrowing !== undefined && narrowing.declaredBy !== 'path') narrowing = narrowing.within;
  if (preset !== undefined && narrowing === undefined)
    throw refusal('REQUEST_NOT_FOUND', 'toolsets are switched off here; connect to /mcp');
}

/** The current fronts; a reload may replace them. */
interface Fronts {
  readonly front: Front;
  /** Gets each request whose header names another revision than its session's. */
  readonly differs: (named: string, agreed: string) => void;
  readonly stateless: StatelessFront;
}

/** Passes a body to the front whose revision the header names. If no front knows the header and there is no session, the body
 *  decides. */
async function post(
  fronts: Fronts,
  exchange: HttpExchange,
  request: InboundRequest,
  streams: Streams,
): Promise<undefined> {
  const mayStream = checkPostHeaders(request);
  const named = request.header('mcp-protocol-version');
  const { front } = fronts;
  // Most requests have a session and need no look at the stateless front.
  const isOlder = named === undefined || front.revisions.includes(named);
  const isStateless = !isOlder && fronts.stateless.revisions.includes(named);
  const session = isStateless ? undefined : sessionOf(front, request);
  if (session !== undefined) checkRevision(fronts, request, session);
  const text = await exchange.body();
  if (isStateless || (session === undefined && fronts.stateless.claims(text))) {
    fronts.stateless.receive(text, request, new StatelessPostSink(exchange, streams, mayStream));
    return undefined;
  }
  if (session === undefined) checkRevision(fronts, request, session);
  front.receive(text, request, session, new PostSink({ res: exchange.res, session, mayStream }, streams));
  return undefined;
}

async function openStream(
  fronts: Fronts,
  exchange: HttpExchange,
  request: InboundRequest,
  far: FarStreams,
): Promise<Reply | undefined> {
  const { front, stateless } = fronts;
  const refused = postOnly(stateless, request);
  if (refused !== undefined) return refused;
  checkStreamHeaders(request);
  const session = requiredSession(front, request);
  checkRevision(fronts, request, session);
  const lastId = request.header('last-event-id');
  const hasMissed = lastId !== undefined;
  if (hasMissed) {
    const isDone = await isResumed(far, session, lastId, exchange.res);
    // Meanwhile the client may have left and opened a newer stream, or ended its session.
    if (exchange.res.destroyed) return undefined;
    if (!isDone) requiredSession(fronts.front, request);
    else {
      exchange.standing();
      return undefined;
    }
  }
  exchange.standing();
  far.streams.openStanding(fronts.front, exchange.res, { session, request, hasMissed });
  return undefined;
}

/** @returns false if a new standing stream is what the client needs
 *  @throws GatewayError REQUEST_MALFORMED, REQUEST_NOT_FOUND, STORE_UNREACHABLE */
async function isResumed(
  far: FarStreams,
  session: Session,
  lastId: string,
  res: ServerResponse,
): Promise<boolean> {
  if (far.streams.resume(session, lastId, res)) return true;
  const isStanding = isOfStanding(lastId);
  const resumed = await far.resume(session, lastId, res).catch((error: unknown) => {
    if (isStanding && isGatewayError(error)) return 'ended';
    throw error;
  });
  if (resumed === 'resumed' || isStanding) return resumed === 'resumed';
  if (resumed === 'ended')
    throw refusal(
      'REQUEST_NOT_FOUND',
      'the process that ran this call has ended, and its answer with it: the call may have run; check its effect, then send initialize again',
    );
  if (resumed === 'too large')
    throw refusal(
      'REQUEST_NOT_FOUND',
      `the next event has more than the ${MAX_MESSAGE_BYTES} bytes that processes send one another: the call may have run; check its effect, ask for less, or make the balancer sticky by session`,
    );
  throw refusal(
    'REQUEST_MALFORMED',
    'Last-Event-ID names no event of this session that is still stored; leave it out for a new stream',
  );
}

async function end(fronts: Fronts, request: InboundRequest, streams: Streams): Promise<Reply> {
  const { front, stateless } = fronts;
  const refused = postOnly(stateless, request);
  if (refused !== undefined) return refused;
  const session = requiredSession(front, request);
  checkRevision(fronts, request, session);
  const ended = front.end(session);
  streams.close(session.id);
  await ended;
  return { status: 204 };
}
