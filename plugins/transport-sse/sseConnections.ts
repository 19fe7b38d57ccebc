import { randomUUID } from 'node:crypto';
import { GatewayError } from 'pegboard';
import type { InboundRequest, Reply, Scope } from 'pegboard';
import { EventWriter } from '../kit/http/eventWriter.ts';
import { callerKey } from '../kit/authority/ownerOf.ts';
import { Front } from '../contracts/mcp.ts';
import type { Sink } from '../contracts/mcp.ts';
import type { Session } from '../contracts/sessions.ts';
import type { HttpExchange, Route } from '../contracts/http.ts';
import type { StreamConfig } from './config.ts';

interface Connection {
  readonly stream: EventWriter;
  /** The caller that opened the stream; no other caller may post to it. */
  readonly owner: string | undefined;
  session: Session | undefined;
  detach: (() => void) | undefined;
}

/** The older HTTP+SSE transport (revision 2024-11-05): a stream for messages of the server, a path for those of the client. */
export class SseConnections {
  readonly #scope: Scope<StreamConfig>;
  readonly #connections = new Map<string, Connection>();
  #timer: NodeJS.Timeout | undefined;

  constructor(scope: Scope<StreamConfig>) {
    this.#scope = scope;
  }

  routes(): readonly Route[] {
    const access = 'caller';
    return [
      { method: 'GET', path: '/sse', access, handle: (exchange, request) => this.#open(exchange, request) },
      {
        method: 'POST',
        path: '/message',
        access,
        handle: (exchange, request) => this.#post(exchange, request),
      },
    ];
  }

  start(): void {
    clearInterval(this.#timer);
    const beat = (): void => this.#connections.forEach(({ stream }) => stream.keepAlive());
    this.#timer = setInterval(beat, this.#scope.config.keepAliveMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const { stream } of this.#connections.values()) stream.end();
  }

  #open(exchange: HttpExchange, request: InboundRequest): undefined {
    const { res } = exchange;
    // The client disconnected while a guard was deciding; no further event comes from it.
    if (res.destroyed) return undefined;
    exchange.standing();
    const id = randomUUID();
    const stream = new EventWriter(res, this.#scope.config.maxBufferedBytes);
    const connection: Connection = {
      stream,
      owner: callerKey(request.caller),
      session: undefined,
      detach: undefined,
    };
    this.#connections.set(id, connection);
    res.once('close', () => {
      this.#connections.delete(id);
      connection.detach?.();
      // During a stop the front, and with it the session, may be gone before the connection closes.
      if (connection.session !== undefined) this.#scope.find(Front)?.abandon(connection.session);
    });
    // Relative, so that it is right behind a proxy that adds a prefix to the path.
    const up = request.path?.endsWith('/') === true ? '../' : '';
    stream.send(`${up}message?sessionId=${id}`, 'endpoint');
    return undefined;
  }

  async #post(exchange: HttpExchange, request: InboundRequest): Promise<Reply> {
    const id = exchange.query.get('sessionId') ?? '';
    const connection = this.#connections.get(id);
    if (connection === undefined || connection.owner !== callerKey(request.caller)) throw noStream();
    if (!(request.header('content-type') ?? '').toLowerCase().startsWith('application/json')) {
      throw new GatewayError('REQUEST_MEDIA_TYPE', 'send the header Content-Type: application/json');
    }
    const text = await exchange.body();
    // A session opened on a stream that has ended in the meantime would never be removed.
    if (this.#connections.get(id) !== connection) throw noStream();
    const front = this.#scope.get(Front);
    request.sessionId = connection.session?.id;
    front.receive(text, request, connection.session, sinkOf(connection, front, request));
    return { status: 202, body: 'Accepted' };
  }
}

function noStream(): GatewayError {
  const text = 'no such stream; open one with GET /sse and post to the path it names';
  return new GatewayError('REQUEST_NOT_FOUND', text);
}

/** All answers are sent on the stream; the POST itself only gets 202. */
function sinkOf(connection: Connection, front: Front, request: InboundRequest): Sink {
  const { stream } = connection;
  return {
    before: (json) => {
      stream.send(json);
      // The session ends with its stream, so there is no later stream to wait for.
      return true;
    },
    answer: (json, { opened }) => {
      if (opened !== undefined) {
        const session = front.resume(opened, request);
        connection.session = session;
        if (session !== undefined)
          connection.detach = front.attach(session, {
            request,
            write: (line) => stream.send(line),
            disconnect: () => stream.end(),
          });
      }
      if (json !== undefined) stream.send(json);
    },
  };
}
