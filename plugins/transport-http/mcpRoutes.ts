import { Front } from 'pegboard';
import type { HttpExchange, InboundRequest, Reply, Route, Scope } from 'pegboard';
import { PostSink } from './answer.ts';
import type { StreamConfig } from './config.ts';
import {
  checkPostHeaders,
  checkRevision,
  checkStreamHeaders,
  requiredSession,
  sessionOf,
} from './headers.ts';
import { refusal, rpcRefusal } from './refusals.ts';
import type { Streams } from './streams.ts';

const PATH = '/mcp';

/** POST, GET and DELETE of MCP's streamable HTTP transport. */
export function mcpRoutes(scope: Scope<StreamConfig>, streams: Streams): readonly Route[] {
  const front = (): Front => scope.get(Front);
  const route = (method: Route['method'], handle: Route['handle']): Route => ({
    method,
    path: PATH,
    access: 'caller',
    handle,
    refusalBody: rpcRefusal,
  });
  return [
    route('POST', (exchange, request) => post(front(), exchange, request, streams)),
    route('GET', (exchange, request) => openStream(front(), exchange, request, streams)),
    route('DELETE', (_, request) => end(front(), request, streams)),
  ];
}

async function post(
  front: Front,
  exchange: HttpExchange,
  request: InboundRequest,
  streams: Streams,
): Promise<undefined> {
  checkPostHeaders(request);
  const session = sessionOf(front, request);
  checkRevision(front, request, session);
  const text = await exchange.body();
  front.receive(text, request, session, new PostSink(exchange.res, session, streams));
  return undefined;
}

function openStream(
  front: Front,
  exchange: HttpExchange,
  request: InboundRequest,
  streams: Streams,
): undefined {
  checkStreamHeaders(request);
  const session = requiredSession(front, request);
  checkRevision(front, request, session);
  const lastId = request.header('last-event-id');
  if (lastId === undefined) {
    exchange.standing();
    streams.openStanding(session, front, exchange.res);
  } else if (streams.resume(session, lastId, exchange.res)) exchange.standing();
  else
    throw refusal(
      'REQUEST_MALFORMED',
      'Last-Event-ID names no event of this session that is still kept; leave it out for a new stream',
    );
  return undefined;
}

function end(front: Front, request: InboundRequest, streams: Streams): Reply {
  const session = requiredSession(front, request);
  checkRevision(front, request, session);
  front.end(session);
  streams.close(session.id);
  return { status: 204 };
}
