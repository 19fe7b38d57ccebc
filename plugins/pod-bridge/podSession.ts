import type { ServerResponse } from 'node:http';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { EventWriter, oneLine } from '../kit/http/eventWriter.ts';
import { jsonIn } from '../kit/text/jsonIn.ts';
import { LineSplitter } from '../kit/text/lineSplitter.ts';
import type { BridgeParts } from './bridgeParts.ts';
import { PodProcess } from './podProcess.ts';
import { refuse } from './refuse.ts';

const MAX_LINE_BYTES = 64 * 1_024 * 1_024;
const MAX_BUFFERED_BYTES = 128 * 1_024 * 1_024;
/** Messages that no stream has taken yet. */
const MAX_WAITING = 256;
/** Characters of a line of standard output that is not a message, for the log. */
const MAX_NOISE = 2_000;
/** How long a request that was given up counts as running: twice the default of `lateMs`, by which the gateway counts. */
const LATE_MS = 60_000;
const MAX_LATE = 1_000;

/** A response that events are written to. */
interface Stream {
  readonly res: ServerResponse;
  readonly writer: EventWriter;
}
/** A request whose answer is awaited. */
interface Pending extends Stream {
  readonly method: unknown;
  /** As JSON. */
  readonly progressToken: string | undefined;
  /** What is written to its stream may reach no client. */
  isCancelled: boolean;
}

/** One session of the gateway, and its process. */
export class PodSession {
  readonly #id: string;
  readonly #ended: () => void;
  readonly #process: PodProcess;
  /** Requests by their ids as JSON. */
  readonly #pending = new Map<string, Pending>();
  /** When requests were given up that the process has not answered: it may still speak about them. The oldest first. */
  readonly #late = new Map<string, number>();
  #standing: Stream | undefined;
  #hasListened = false;
  /** Responses that the gateway does not read as fast as they are written. */
  readonly #full = new Set<ServerResponse>();
  readonly #waiting: string[] = [];
  #usedAt = performance.now();
  #whenIdle: (() => void)[] = [];
  #ending: Promise<void> | undefined;

  constructor(id: string, parts: BridgeParts, ended: () => void) {
    this.#id = id;
    this.#ended = ended;
    const lines = new LineSplitter(
      () => MAX_LINE_BYTES,
      (line) => this.#hear(line),
      () => void this.end(`it sent a line of more than ${MAX_LINE_BYTES} bytes`),
    );
    this.#process = new PodProcess(parts.command, {
      hear: (chunk) => lines.push(chunk),
      say: parts.say,
      gone: (how) => {
        lines.end();
        this.#gone(how);
      },
    });
  }

  /** Time since the gateway last used it; 0 while it has a stream open. */
  get unusedMs(): number {
    const isAwaited = [...this.#pending.values()].some(({ res }) => !res.destroyed);
    return this.#standing !== undefined || isAwaited ? 0 : performance.now() - this.#usedAt;
  }

  /** Resolves when no request waits for its answer. */
  idle(): Promise<void> {
    return this.#pending.size === 0 ? Promise.resolve() : new Promise((done) => this.#whenIdle.push(done));
  }

  /** Passes a message on. @param text it as it was sent */
  take(message: JsonObject, text: string, res: ServerResponse): void {
    this.#usedAt = performance.now();
    if (this.#process.isBehind) {
      refuse(res, 503, 'the process does not read its input');
      return;
    }
    const { id, method, params } = message;
    if (method === undefined || id === undefined || id === null) {
      this.#process.write(oneLine(text));
      if (method === 'notifications/cancelled' && isObject(params)) this.#cancel(params['requestId']);
      res.writeHead(202).end();
      return;
    }
    const key = JSON.stringify(id);
    if (this.#pending.has(key)) {
      refuse(res, 400, 'a request with that id waits for its answer');
      return;
    }
    const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
    const token = meta['progressToken'];
    const writer = new EventWriter(res, MAX_BUFFERED_BYTES, { 'mcp-session-id': this.#id });
    const progressToken = token === undefined ? undefined : JSON.stringify(token);
    const pending: Pending = { method, progressToken, isCancelled: false, res, writer };
    this.#pending.set(key, pending);
    res.once('close', () => {
      if (this.#pending.get(key) !== pending) return;
      // An answer could reach no client now.
      this.#settle(key);
      this.#giveUp(key);
      if (method === 'initialize') void this.end('no client waits for it');
    });
    this.#process.write(oneLine(text));
  }

  /** Opens the stream for what belongs to no request; it takes the place of a former one. */
  listen(res: ServerResponse): void {
    this.#usedAt = performance.now();
    this.#standing?.writer.end();
    const writer = new EventWriter(res, MAX_BUFFERED_BYTES, { 'mcp-session-id': this.#id });
    const stream = { res, writer };
    this.#standing = stream;
    this.#hasListened = true;
    res.once('close', () => {
      this.#usedAt = performance.now();
      if (this.#standing === stream) this.#standing = undefined;
    });
    for (const line of this.#waiting.splice(0)) this.#send(stream, line);
  }

  /** Ends the process. Requests without an answer lose their streams. */
  end(why: string): Promise<void> {
    this.#ending ??= this.#process.stop().then(() => this.#gone(why));
    return this.#ending;
  }

  #hear(line: string): void {
    const message = jsonIn(line);
    if (!isObject(message)) {
      if (line.trim() !== '') this.#process.say(line.slice(0, MAX_NOISE));
      return;
    }
    const { method, id } = message;
    if (method === undefined) this.#answer(JSON.stringify(id), line);
    else this.#tell(message, line);
  }

  #answer(key: string, line: string): void {
    this.#late.delete(key);
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#send(pending, line);
    pending.writer.end();
    this.#settle(key);
  }

  #tell(message: JsonObject, line: string): void {
    const stream = message['id'] === undefined ? this.#streamFor(message) : this.#streamToAsk();
    if (stream !== undefined) this.#send(stream, line);
    else if (this.#waiting.push(line) > MAX_WAITING) this.#waiting.shift();
  }

  /** That of the request which it is about: progress names it, and one that runs alone has caused it. */
  #streamFor({ method, params }: JsonObject): Stream | undefined {
    if (method !== 'notifications/progress' || !isObject(params))
      return this.#streamAlone() ?? this.#standing;
    const token = JSON.stringify(params['progressToken']);
    return this.#open().find(({ progressToken }) => progressToken === token) ?? this.#standing;
  }

  /** The stream of a request would name its client as the one that is asked, and a call that was given up may ask later than the next
   *  one begins: the gateway knows all that may be meant. */
  #streamToAsk(): Stream | undefined {
    return this.#hasListened ? this.#standing : this.#streamAlone();
  }

  /** None while the process may still speak about a request of another client. */
  #streamAlone(): Stream | undefined {
    const open = this.#open();
    return open.length === 1 && !this.#hasLate() ? open[0] : undefined;
  }

  #hasLate(): boolean {
    const since = performance.now() - LATE_MS;
    for (const [key, at] of this.#late) {
      if (at > since && this.#late.size <= MAX_LATE) return true;
      this.#late.delete(key);
    }
    return false;
  }

  #giveUp(key: string): void {
    this.#late.delete(key);
    this.#late.set(key, performance.now());
    if (this.#late.size > MAX_LATE) this.#hasLate();
  }

  #open(): readonly Pending[] {
    return [...this.#pending.values()].filter(({ res, isCancelled }) => !res.destroyed && !isCancelled);
  }

  #cancel(id: unknown): void {
    const key = JSON.stringify(id);
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    pending.isCancelled = true;
    this.#giveUp(key);
  }

  /** Reads on once the gateway has taken it, or gone. */
  #send({ res, writer }: Stream, line: string): void {
    writer.send(line);
    if (!res.writableNeedDrain || this.#full.has(res)) return;
    this.#full.add(res);
    this.#process.pause();
    const goOn = (): void => {
      res.off('drain', goOn).off('close', goOn);
      this.#full.delete(res);
      if (this.#full.size === 0) this.#process.resume();
    };
    res.on('drain', goOn).on('close', goOn);
  }

  #settle(key: string): void {
    this.#pending.delete(key);
    this.#usedAt = performance.now();
    if (this.#pending.size > 0) return;
    for (const done of this.#whenIdle.splice(0)) done();
  }

  #gone(how: string): void {
    this.#ended();
    for (const [key, { method, res, writer }] of this.#pending) {
      if (method === 'initialize') {
        const error = {
          code: -32_000,
          message: `the process of the server ${how}; its log is that of the pod`,
        };
        writer.send(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(key) as unknown, error }));
        writer.end();
      }
      // Whether it was carried out is not known: an answer would say so.
      else res.destroy();
      this.#settle(key);
    }
    this.#standing?.writer.end();
    this.#standing = undefined;
  }
}
