import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { defer } from '../../support/cleanup.ts';

/** What a server may do with a request: `answer` is the good one. */
type Fault =
  | { readonly status: number; readonly headers?: readonly string[]; readonly body?: string }
  | 'hang'
  | 'reset'
  | 'cut'
  | 'empty stream'
  | 'error'
  | 'nameless error'
  | 'no result';
type Draw = () => number;

/** What undici calls in a handler of its older form. */
interface Handler {
  onConnect(abort: (error?: Error) => void): void;
  onHeaders(status: number, headers: readonly Buffer[]): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

const STATUSES = [
  ...[200, 202, 204, 301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 415, 422, 425, 429],
  ...[500, 501, 502, 503, 504, 520],
];
const BODIES = [
  ...[
    '',
    '<html><title>Sorry</title>',
    'Session not found',
    'Bad Request: Server not initialized',
    '{"a":1}',
    'null',
  ],
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session"}}',
];
const WORDS = ['Session expired', 'Server not initialized', 'quota', 'before initialization was complete'];
/** Not -32601, which says that there are no tools. */
const CODES = [-32000, -32001, -32002, -32600, -32602, -32603, -32700];
const RETRY_AFTER = ['1', '20', '60'];

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function numbersFrom(seed: number): Draw {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Request {
  readonly id?: number;
  readonly method?: string;
}

/** A remote server that treats each kind of request in any way, until it works. It is reached without sockets. */
export class AnyServer {
  readonly name: string;
  works = false;
  /** When requests arrived, and what they were. */
  readonly asked: { readonly at: number; readonly what: string }[] = [];
  readonly #draw: Draw;
  /** The fault of each kind of request, unless the server is fickle: then it is drawn for each request. */
  readonly #faults = new Map<string, Fault | undefined>();
  readonly #isFickle: boolean;
  readonly #hasSessions: boolean;
  readonly #hasStream: boolean;
  readonly #now: () => number;
  #session = 0;

  constructor(name: string, seed: number, now: () => number) {
    this.name = name;
    this.#now = now;
    this.#draw = numbersFrom(seed);
    this.#isFickle = this.#draw() < 0.4;
    this.#hasSessions = this.#draw() < 0.6;
    this.#hasStream = this.#draw() < 0.5;
  }

  /** How each kind of request is treated, for messages. */
  get story(): string {
    const faults = [...this.#faults].map(
      ([what, fault]) => `${what}: ${fault === undefined ? 'answered' : JSON.stringify(fault)}`,
    );
    return this.#isFickle ? 'fickle' : faults.join(', ');
  }

  serve({ method, body }: Dispatcher.DispatchOptions, handler: Handler): void {
    const request = (typeof body === 'string' ? JSON.parse(body) : {}) as Request;
    const what = method === 'POST' ? (request.method ?? 'answer') : method;
    this.asked.push({ at: this.#now(), what });
    let isOver = false;
    const abort = (error?: Error): void => {
      if (isOver) return;
      isOver = true;
      handler.onError(error ?? new Error('aborted'));
    };
    handler.onConnect(abort);
    setImmediate(() => {
      if (isOver) return;
      const fault = this.works ? undefined : this.#faultOf(what);
      if (fault === 'hang' || (fault === undefined && method === 'GET' && this.#hasStream)) {
        if (fault === undefined) respond(handler, 200, ['content-type', 'text/event-stream']);
        return;
      }
      isOver = true;
      this.#end(handler, request, { what, fault });
    });
  }

  #faultOf(what: string): Fault | undefined {
    if (this.#isFickle) return this.#drawn();
    if (!this.#faults.has(what)) this.#faults.set(what, this.#drawn());
    return this.#faults.get(what);
  }

  #drawn(): Fault | undefined {
    const kind = this.#draw();
    if (kind < 0.35) return undefined;
    if (kind < 0.75) {
      const status = this.#oneOf(STATUSES);
      const isLater = (status === 429 || status === 503) && this.#draw() < 0.5;
      const headers = isLater ? ['retry-after', this.#oneOf(RETRY_AFTER)] : [];
      if (status > 300 && status < 400) headers.push('location', '/elsewhere');
      return { status, headers, body: this.#oneOf(BODIES) };
    }
    return this.#oneOf([
      'hang',
      'reset',
      'cut',
      'empty stream',
      'error',
      'nameless error',
      'no result',
    ] as const);
  }

  #oneOf<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#draw() * choices.length)] as T;
  }

  #end(
    handler: Handler,
    { id, method }: Request,
    { what, fault }: { readonly what: string; readonly fault: Fault | undefined },
  ): void {
    const error = { code: this.#oneOf(CODES), message: this.#oneOf(WORDS) };
    if (typeof fault === 'object') respond(handler, fault.status, fault.headers ?? [], fault.body ?? '');
    else if (fault === 'reset') handler.onError(new Error('read ECONNRESET'));
    else if (fault === 'cut') {
      respond(handler, 200, ['content-type', 'application/json', 'content-length', '99'], '{"json', false);
      handler.onError(new Error('other side closed'));
    } else if (fault === 'empty stream')
      respond(handler, 200, ['content-type', 'text/event-stream'], ':\n\n');
    else if (what === 'GET') respond(handler, 405, []);
    else if (id === undefined) respond(handler, 202, []);
    else if (fault === 'error') answer(handler, { id, error });
    else if (fault === 'nameless error') answer(handler, { id: null, error });
    else if (fault === 'no result') answer(handler, { id });
    else this.#answer(handler, id, method);
  }

  #answer(handler: Handler, id: number, method: string | undefined): void {
    if (method === 'initialize') {
      this.#session += 1;
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: this.#draw() < 0.5 } },
        serverInfo: { name: this.name, version: '1' },
      };
      answer(handler, { id, result }, this.#hasSessions ? ['mcp-session-id', String(this.#session)] : []);
    } else if (method === 'tools/list')
      answer(handler, { id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
    else if (method === 'tools/call') answer(handler, { id, result: { content: [] } });
    else if (method === 'ping') answer(handler, { id, result: {} });
    else answer(handler, { id, error: { code: -32601, message: 'Method not found' } });
  }
}

function answer(handler: Handler, message: object, headers: readonly string[] = []): void {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  respond(handler, 200, ['content-type', 'application/json', ...headers], body);
}

function respond(
  handler: Handler,
  status: number,
  headers: readonly string[],
  body?: string,
  isWhole = true,
): void {
  const raw = headers.map((text) => Buffer.from(text));
  handler.onHeaders(status, raw);
  if (body !== undefined && body !== '') handler.onData(Buffer.from(body));
  const isOpen = body === undefined && status === 200;
  if (isWhole && !isOpen) handler.onComplete();
}

/** Lets the pools of this process reach these servers, by the path of their url, until the test ends. */
export function reachable(servers: readonly AnyServer[]): void {
  const byPath = new Map(servers.map((server) => [new URL(urlOf(server)).pathname, server]));
  const pools = Pool.prototype as { dispatch: Dispatcher['dispatch'] };
  const real = pools.dispatch;
  pools.dispatch = (options, handler) => {
    byPath.get(options.path)?.serve(options, handler as unknown as Handler);
    return true;
  };
  defer(() => void (pools.dispatch = real));
}

export function urlOf({ name }: AnyServer): string {
  return `http://any.test/${name}`;
}
