import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { InboundRequest, Log } from 'pegboard';
import { EventWriter } from '../kit/http/eventWriter.ts';
import { InFlight } from '../kit/limits/inFlight.ts';
import type { Front } from '../contracts/mcp.ts';
import type { Session } from '../contracts/sessions.ts';
import type { StreamConfig } from './config.ts';
import { ResumableStream } from './resumableStream.ts';
import type { Passed, Reader } from './resumableStream.ts';

/** The id of a stream, which ends with that of the process that holds it, and the number of an event. */
const EVENT_ID = /^([as][\w-]{16}(?:\.[\w-]+)?)_(\d{1,15})$/;
/** Less than another process waits for an answer. */
const PASS_WAIT_MS = 1_000;

/** A request that is not answered yet. */
export interface Awaited {
  openStream(): unknown;
}
interface Waiting {
  readonly number: number;
  readonly sink: Awaited;
  /** Whether it was already waiting at the previous tick. */
  wasSeen: boolean;
}
/** The session of a standing stream, and the request that opens it. */
interface Opened {
  readonly session: Session;
  readonly request: InboundRequest;
  /** The request asks for events that are no longer stored. */
  readonly hasMissed: boolean;
}

/** The event streams of all sessions: open ones, and those that a client may still resume. */
export class Streams {
  readonly #config: () => StreamConfig;
  readonly #log: Log;
  readonly #process: () => string | undefined;
  #kept: LRUCache<string, ResumableStream>;
  readonly #open = new Set<ResumableStream>();
  /** Streams that cannot be resumed. */
  readonly #plain = new Set<EventWriter>();
  readonly #standing = new Map<string, { readonly stream: ResumableStream; readonly detach: () => void }>();
  readonly #awaited = new InFlight<Waiting>();
  readonly #timers: NodeJS.Timeout[] = [];

  /** @param process its id, if it is not alone */
  constructor(config: () => StreamConfig, log: Log, process: () => string | undefined = () => undefined) {
    this.#process = process;
    this.#config = config;
    this.#log = log;
    this.#kept = createStore(config());
  }

  start(): void {
    this.#clearTimers();
    const kept = [...this.#kept.rvalues()];
    this.#kept = createStore(this.#config());
    for (const stream of kept) if (stream !== undefined) this.#keep(stream);
    const { keepAliveMs, slowAnswerMs } = this.#config();
    this.#timers.push(setInterval(() => this.#beat(), keepAliveMs));
    this.#timers.push(setInterval(() => this.#openSlow(), slowAnswerMs));
    for (const timer of this.#timers) timer.unref();
  }

  /** @returns the number to pass to answered() */
  awaits(sink: Awaited): number {
    return this.#awaited.add((number) => ({ number, sink, wasSeen: false })).number;
  }
  answered(number: number): void {
    this.#awaited.delete(number);
  }

  /** The client disconnected before its request had a stream that it could resume. */
  lost(session: Session | undefined, why: string): void {
    this.#log.info('answer not delivered', { session: session?.id, why });
  }

  /** Closes the connection if its client does not read the answer for `stalledReaderMs`. */
  dropStalled(res: ServerResponse, session: Session | undefined): void {
    if (res.destroyed || res.writableLength === 0) return;
    res.setTimeout(this.#config().stalledReaderMs, () => {
      this.lost(session, 'its client does not read it');
      res.destroy();
    });
  }

  /** Opens the stream on which one POST is answered. */
  openAnswer(session: Session, res: ServerResponse): ResumableStream {
    const stream = this.#create(session, 'answer');
    this.#connect(stream, res, (live) => stream.open(live));
    return stream;
  }

  /** A stream that ends with its connection. */
  openPlain(res: ServerResponse): EventWriter {
    const stream = new EventWriter(res, this.#config().maxBufferedBytes);
    this.#plain.add(stream);
    res.once('close', () => this.#plain.delete(stream));
    return stream;
  }

  /** Opens the session's standing stream; an open one ends. */
  openStanding(front: Front, res: ServerResponse, { session, request, hasMissed }: Opened): void {
    this.#endStanding(session.id);
    const stream = this.#create(session, 'standing');
    this.#connect(stream, res, (live) => {
      live.keepAlive();
      stream.open(live, this.#config().retryMs);
    });
    const detach = front.attach(session, {
      request,
      write: (json) => stream.send(json),
      end: () => this.close(session.id),
      hasMissed,
    });
    this.#standing.set(session.id, { stream, detach });
  }

  /** Continues a stream after an event. @returns false if the event is unknown, no longer stored, or another session's */
  resume(session: Session, eventId: string, res: ServerResponse): boolean {
    const found = this.#find(session.id, eventId);
    if (found === undefined) return false;
    const { stream, after } = found;
    this.#connect(stream, res, (live) => stream.resume(after, live));
    return true;
  }

  /** What follows an event, for a connection of the client at another process. @returns undefined if it is not stored */
  async pass(sessionId: string, eventId: string, reader: Reader): Promise<Passed | undefined> {
    const found = this.#find(sessionId, eventId);
    if (found === undefined) return undefined;
    this.#keepAnew(found.stream);
    return found.stream.pass(found.after, reader, PASS_WAIT_MS);
  }

  #find(
    sessionId: string,
    eventId: string,
  ): { readonly stream: ResumableStream; readonly after: number } | undefined {
    const [, id = '', number = ''] = EVENT_ID.exec(eventId) ?? [];
    const stream = this.#kept.get(id);
    const after = Number(number);
    return stream?.sessionId === sessionId && stream.has(after) ? { stream, after } : undefined;
  }

  close(sessionId: string): void {
    this.#endStanding(sessionId);
    for (const stream of [...this.#kept.values()])
      if (stream.sessionId === sessionId) this.#kept.delete(stream.id);
  }

  stop(): void {
    this.#clearTimers();
    for (const id of [...this.#standing.keys()]) this.#endStanding(id);
  }

  #create(session: Session, kind: ResumableStream['kind']): ResumableStream {
    const stream = new ResumableStream({
      session,
      kind,
      maxBytes: this.#config().maxStreamReplayBytes,
      process: this.#process(),
      grew: (grown) => this.#keepAnew(grown),
      ended: (over) => void this.#open.delete(over),
    });
    this.#open.add(stream);
    this.#keep(stream);
    return stream;
  }

  /** LRUCache's own bound on the number reserves room for all of them ahead. */
  #keep(stream: ResumableStream): void {
    this.#kept.set(stream.id, stream);
    while (this.#kept.size > this.#config().maxReplayStreams) this.#kept.pop();
  }

  /** LRUCache computes the size only for a new entry. */
  #keepAnew(stream: ResumableStream): void {
    this.#kept.delete(stream.id);
    this.#keep(stream);
  }

  #connect(stream: ResumableStream, res: ServerResponse, begin: (live: EventWriter) => void): void {
    const live = new EventWriter(res, this.#config().maxBufferedBytes);
    begin(live);
    // A connection that is already closed emits no further event.
    if (res.destroyed) stream.left(live);
    else res.once('close', () => stream.left(live));
  }

  #endStanding(sessionId: string): void {
    const standing = this.#standing.get(sessionId);
    if (standing === undefined) return;
    this.#standing.delete(sessionId);
    standing.detach();
    standing.stream.end();
  }

  /** Sends comments for proxies; keeps connected streams stored, and ends standing streams that no client has resumed. */
  #beat(): void {
    const { replayMs } = this.#config();
    for (const stream of this.#plain) stream.keepAlive();
    for (const stream of this.#open) {
      stream.keepAlive();
      if (stream.kind === 'answer' || stream.isConnected) this.#keep(stream);
      else if (stream.leftMsAgo > replayMs) this.#endStanding(stream.sessionId);
    }
  }

  #openSlow(): void {
    for (const waiting of this.#awaited.values()) {
      if (waiting.wasSeen) {
        this.#awaited.delete(waiting.number);
        waiting.sink.openStream();
      }
      waiting.wasSeen = true;
    }
  }

  #clearTimers(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }
}

function createStore({ maxReplayBytes, replayMs }: StreamConfig): LRUCache<string, ResumableStream> {
  return new LRUCache({
    maxSize: maxReplayBytes,
    sizeCalculation: ({ bytes }) => bytes + 1,
    ttl: replayMs,
  });
}
