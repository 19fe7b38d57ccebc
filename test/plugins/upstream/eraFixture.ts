import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../../kernel/index.ts';
import { listenLocally } from '../../conformance/listen.ts';
import { defer } from '../../support/cleanup.ts';

export const [OLDER, NEWER] = ['2025-11-25', '2026-07-28'] as const;
const PREFIX = 'io.modelcontextprotocol/';

export interface Received {
  readonly verb: string;
  readonly headers: IncomingHttpHeaders;
  /** Names as sent, and values, in turn. */
  readonly rawHeaders: readonly string[];
  readonly id?: number;
  readonly method: string;
  readonly params: JsonObject & { readonly _meta?: JsonObject };
  /** Result or error that answers a question of the server, as JSON text. */
  readonly said: string | undefined;
  /** Whether its connection is closed. */
  isClosed: boolean;
}
/** One subscriptions/listen request that is open. */
interface Stream {
  readonly id: number | undefined;
  readonly filter: JsonObject;
  readonly res: ServerResponse;
}
/** @returns whether the response is made */
type Instead = (received: Received, res: ServerResponse) => boolean;

/** What a fixture is, from the start. */
interface Settings {
  readonly speaks: readonly string[];
  readonly capabilities: JsonObject;
  readonly session: string;
  readonly tools: readonly JsonObject[];
}

/** An MCP server over HTTP that speaks 2026-07-28, 2025-11-25 or both, and records what it receives. */
export class EraFixture {
  url = '';
  speaks: readonly string[] = [NEWER];
  capabilities: JsonObject = { tools: {} };
  /** The id of its session in 2025-11-25; undefined: it keeps none. */
  session: string | undefined;
  tools: readonly JsonObject[] = [{ name: 'echo', inputSchema: { type: 'object' } }];
  /** Makes the response instead of the usual one. */
  instead: Instead = () => false;
  /** What it acknowledges of a subscription; undefined: nothing, ever. */
  honors: ((filter: JsonObject) => JsonObject) | undefined = (filter) => filter;
  readonly received: Received[] = [];
  streams: readonly Stream[] = [];

  /** Listens until the test ends. */
  static async start(set: Partial<Settings> = {}): Promise<EraFixture> {
    const fixture = Object.assign(new EraFixture(), set);
    const server = createServer((req, res) => {
      fixture.#serve(req, res).catch((error: unknown) => res.destroy(error as Error));
    });
    const listening = await listenLocally(server);
    defer(() => listening.close());
    fixture.url = listening.url;
    return fixture;
  }

  get methods(): readonly string[] {
    return this.received.map(({ method }) => method);
  }
  all(method: string): readonly Received[] {
    return this.received.filter((one) => one.method === method);
  }
  count(method: string): number {
    return this.all(method).length;
  }

  /** Acknowledges all open subscriptions. */
  acknowledge(): void {
    for (const stream of this.streams)
      tell(stream, 'notifications/subscriptions/acknowledged', { notifications: stream.filter });
  }

  /** Sends a notification on every stream that is open. */
  notify(method: string, params: JsonObject = {}): void {
    for (const stream of this.streams) tell(stream, method, params);
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = Buffer.concat((await req.toArray()) as Buffer[]).toString();
    const message = JSON.parse(body || '{}') as Partial<Received> & JsonObject;
    const { id, method = '', params = {} } = message;
    const said = JSON.stringify(message['result'] ?? message['error']);
    const { method: verb = '', headers, rawHeaders } = req;
    const base = { verb, headers, rawHeaders, method, params, said, isClosed: false };
    const received: Received = id === undefined ? base : { ...base, id };
    this.received.push(received);
    res.on('close', () => (received.isClosed = true));
    if (this.instead(received, res)) return;
    if (verb !== 'POST') res.writeHead(this.session !== undefined && verb === 'GET' ? 400 : 405).end();
    else if (id === undefined) res.writeHead(202).end();
    else this.#answer(received, res);
  }

  #answer(received: Received, res: ServerResponse): void {
    const { method, params } = received;
    const version = params._meta?.[`${PREFIX}protocolVersion`];
    const isNewer = version !== undefined;
    if (isNewer ? !this.speaks.includes(NEWER) : !this.speaks.includes(OLDER))
      this.#refuse(received, res, isNewer);
    else if (method === 'subscriptions/listen') this.#listen(received, res);
    else if (method === 'initialize') {
      if (this.session !== undefined) res.setHeader('mcp-session-id', this.session);
      answer(received, res, {
        protocolVersion: OLDER,
        capabilities: this.capabilities,
        serverInfo: { name: 'era', version: '1' },
      });
    } else if (method === 'server/discover')
      answer(received, res, { supportedVersions: [NEWER], capabilities: this.capabilities });
    else if (method === 'tools/list') answer(received, res, { tools: this.tools });
    else if (method === 'resources/list')
      answer(received, res, { resources: ['a', 'b'].map((name) => ({ uri: `test://${name}`, name })) });
    else if (method === 'tools/call') answer(received, res, toldOf(JSON.stringify(params['arguments'])));
    else if (method === 'ping') answer(received, res, {});
    else
      respond(res, 200, {
        jsonrpc: '2.0',
        id: received.id,
        error: { code: -32601, message: 'Method not found' },
      });
  }

  /** Servers before 2026-07-28 know no request before initialize; later ones name what they speak. */
  #refuse({ id }: Received, res: ServerResponse, isNewer: boolean): void {
    const data = { supported: this.speaks };
    const error = isNewer
      ? { code: -32000, message: 'Bad Request: Server not initialized' }
      : { code: -32022, message: 'Unsupported protocol version', data };
    respond(res, 400, { jsonrpc: '2.0', id: isNewer ? null : id, error });
  }

  #listen({ id, params }: Received, res: ServerResponse): void {
    const filter = params['notifications'] as JsonObject;
    const stream = { id, filter, res };
    this.streams = [...this.streams, stream];
    res.on('close', () => (this.streams = this.streams.filter((one) => one !== stream)));
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (this.honors !== undefined)
      tell(stream, 'notifications/subscriptions/acknowledged', { notifications: this.honors(filter) });
  }
}

export function answer({ id, params }: Received, res: ServerResponse, result: JsonObject): void {
  const rest = params._meta?.[`${PREFIX}protocolVersion`] === undefined ? {} : { resultType: 'complete' };
  respond(res, 200, { jsonrpc: '2.0', id, result: { ...rest, ...result } });
}

export function respond(res: ServerResponse, status: number, body: JsonObject): true {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
}

/** Asks the client of a call on the stream of its response, as servers up to 2025-11-25 do, and returns what it said. */
export function asksOnStream(): Instead {
  let open: ((said: string) => void) | undefined;
  return ({ id, method, said }, res) => {
    if (method === '' && said !== undefined) open?.(said);
    if (method !== 'tools/call') return false;
    const send = (message: JsonObject): void =>
      void res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    send({ id: 'question', method: 'elicitation/create', params: { message: 'your name?' } });
    open = (text) => {
      send({ id, result: toldOf(text) });
      res.end();
    };
    return true;
  };
}

export function toldOf(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

function tell({ id, res }: Stream, method: string, params: JsonObject): void {
  const _meta = { [`${PREFIX}subscriptionId`]: id };
  res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })}\n\n`);
}
