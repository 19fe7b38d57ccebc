import { randomUUID } from 'node:crypto';
import { GatewayError } from 'pegboard';
import type { InboundRequest, JsonObject, Reply, Scope } from 'pegboard';
import { EventWriter } from '../kit/http/eventWriter.ts';
import { callerKey } from '../kit/authority/ownerOf.ts';
import { MAX_MESSAGE_BYTES, PeerQuestions } from '../kit/processes/peerQuestions.ts';
import { Front } from '../contracts/mcp.ts';
import type { Sink } from '../contracts/mcp.ts';
import type { Session } from '../contracts/sessions.ts';
import type { HttpExchange, Route } from '../contracts/http.ts';
import type { StreamConfig } from './config.ts';
import { receivedRequest, sentRequest } from './sentRequest.ts';

interface Connection {
  readonly stream: EventWriter;
  /** The caller that opened the stream; no other caller may post to it. */
  readonly owner: string | undefined;
  session: Session | undefined;
  detach: (() => void) | undefined;
}

/** Whether this process holds a stream of that caller, which another one asks before it reads a message for it. */
interface Question extends JsonObject {
  readonly id: string;
  readonly owner: string | null;
}
/** A message that another process has received for a stream of this one. */
interface Message extends JsonObject {
  readonly id: string;
  readonly text: string;
  readonly request: JsonObject;
}

/** The older HTTP+SSE transport (revision 2024-11-05): a stream for messages of the server, a path for those of the client. */
export class SseConnections {
  readonly #scope: Scope<StreamConfig>;
  readonly #connections = new Map<string, Connection>();
  /** The processes that hold the streams of other messages. */
  readonly #peers: PeerQuestions;
  #timer: NodeJS.Timeout | undefined;

  /** Called in apply() only. */
  constructor(scope: Scope<StreamConfig>) {
    this.#scope = scope;
    this.#peers = new PeerQuestions(scope, {
      topic: 'sse-message',
      answer: (asked) => {
        const { id, owner } = asked as Question;
        if (!('text' in asked)) return { isHeld: this.#connectionOf(id, owner ?? undefined) !== undefined };
        const { text, request } = asked as Message;
        return { isTaken: this.#take(id, text, receivedRequest(request)) };
      },
    });
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
    const { own } = this.#peers;
    const id = own === undefined ? randomUUID() : `${own}.${randomUUID()}`;
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
    const holder = this.#holderOf(id);
    if (!(await this.#isHeld(holder, id, callerKey(request.caller)))) throw noStream();
    if (!(request.header('content-type') ?? '').toLowerCase().startsWith('application/json')) {
      throw new GatewayError('REQUEST_MEDIA_TYPE', 'send the header Content-Type: application/json');
    }
    const text = await exchange.body(holder === undefined ? Infinity : MAX_MESSAGE_BYTES);
    const isTaken =
      holder === undefined
        ? this.#take(id, text, request)
        : await this.#give(holder, { id, text, request: sentRequest(request, exchange.req.headers) });
    if (!isTaken) throw noStream();
    return { status: 202, body: 'Accepted' };
  }

  /** The other process that its id names. */
  #holderOf(id: string): string | undefined {
    // It is held here also when the processes no longer know each other.
    if (this.#connections.has(id)) return undefined;
    const [, process] = /^([\w-]+)\.[\w-]+$/.exec(id) ?? [];
    return process === this.#peers.own ? undefined : process;
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async #isHeld(holder: string | undefined, id: string, owner: string | undefined): Promise<boolean> {
    if (holder === undefined) return this.#connectionOf(id, owner) !== undefined;
    const answer = await this.#peers.ask(holder, { id, owner: owner ?? null });
    return answer?.['isHeld'] === true;
  }

  #connectionOf(id: string, owner: string | undefined): Connection | undefined {
    const connection = this.#connections.get(id);
    return connection?.owner === owner ? connection : undefined;
  }

  /** @returns false if there is no such stream: a session opened on one that has ended would never be removed */
  #take(id: string, text: string, request: InboundRequest): boolean {
    const connection = this.#connectionOf(id, callerKey(request.caller));
    if (connection === undefined) return false;
    const front = this.#scope.get(Front);
    request.sessionId = connection.session?.id;
    front.receive(text, request, connection.session, sinkOf(connection, front, request));
    return true;
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async #give(holder: string, message: Message): Promise<boolean> {
    const answer = await this.#peers.ask(holder, message);
    return answer?.['isTaken'] === true;
  }
}

function noStream(): GatewayError {
  const text = 'no such stream, or it has ended; open one with GET /sse and post to the path it names';
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
