import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '../../../kernel/index.ts';

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly arguments?: JsonObject;
    readonly _meta?: { readonly progressToken?: number };
  };
}

export interface Declared {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** An MCP server over streamable HTTP whose misbehaviours can be switched while it runs. */
export class HttpFixture {
  answersAs: 'json' | 'stream' | 'resumed' = 'json';
  /** Whether a stream ends after the answer on it. */
  endsStreams = true;
  /** Whether messages without an answer are acknowledged. */
  acknowledges = true;
  /** Answer to a request with an unknown session. */
  lostStatus = 404;
  lostBody = 'Session not found';
  lostCode = -32000;
  /** Whether ping is answered in any session, as MCP allows before initialize. */
  alwaysAnswersPing = false;
  /** Answer to every request instead of the usual one. */
  instead:
    | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer }
    | undefined;
  /** Where it sends requests for a path. */
  readonly redirects: Record<string, { readonly status: number; readonly to: string }> = {};
  /** Method and path of each request, and how each was answered if it was redirected. */
  readonly paths: string[] = [];
  /** Number of times a resumed stream ends without the answer, with a new event id. */
  emptyResumes = 0;
  isMute = false;
  /** Whether initialize returns a session id. */
  hasSessions = true;
  /** Answer to the GET of a resumed stream instead of its events. */
  resumeStatus = 200;
  /** Whether no session lives beyond initialize, as behind a balancer that is not sticky. */
  losesAtOnce = false;
  /** Whether it declares prompts, and answers 404 when they are listed. */
  refusesLists = false;
  hasStream = true;
  /** Answer to the GET of a standing stream instead of one; `reset` closes its connection. */
  streamInstead:
    { readonly status: number; readonly body?: string; readonly retryAfter?: number } | 'reset' | undefined;
  /** Number of GETs for a standing stream. */
  asked = 0;
  /** Answers a request in place of the usual answer. @returns whether it has */
  intercept: ((message: Message, res: ServerResponse) => boolean) | undefined;
  tools = ['echo', 'slow', 'progress', 'cut'];
  /** A tool as listed. */
  declare = (tool: Declared): object => tool;
  readonly methods: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly cancelled: unknown[] = [];
  /** Last-Event-ID of each GET, as text; undefined without one. */
  readonly lastIds: (string | undefined)[] = [];
  deleted = 0;
  #server: Server | undefined;
  #port = 0;
  #session = 0;
  readonly #sockets = new Set<Socket>();
  readonly #streams = new Set<ServerResponse>();
  readonly #slow = new Set<NodeJS.Timeout>();
  #toResume = '';

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }
  /** Open connections. */
  get sockets(): number {
    return this.#sockets.size;
  }
  get streams(): number {
    return this.#streams.size;
  }
  count(method: string): number {
    return this.methods.filter((one) => one === method).length;
  }

  async listen(): Promise<void> {
    const server = createServer((req, res) => void this.#serve(req, res));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    // Longer than any test: it is the client that closes what is idle.
    server.keepAliveTimeout = 60_000;
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Stops like a crash: every socket is reset, the port is free. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#streams.clear();
    for (const timer of this.#slow) clearTimeout(timer);
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  loseSessions(status: number, body: string): void {
    this.#session += 1;
    this.lostStatus = status;
    this.lostBody = body;
  }

  /** Ends the standing streams after these lines. */
  cut(lines: string): void {
    for (const stream of this.#streams) stream.end(lines);
  }
  push(message: JsonObject): void {
    for (const stream of this.#streams) stream.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const redirect = this.redirects[req.url ?? ''];
    this.paths.push(
      `${req.method ?? ''} ${req.url ?? ''}${redirect === undefined ? '' : ` ${redirect.status}`}`,
    );
    if (redirect !== undefined) {
      res.writeHead(redirect.status, { location: redirect.to, 'content-type': 'text/plain' }).end('moved');
      return;
    }
    this.headers.push(req.headers);
    if (this.isMute) return;
    if (this.instead !== undefined) {
      res.writeHead(this.instead.status, this.instead.headers).end(this.instead.body);
      return;
    }
    if (req.method === 'DELETE') {
      this.deleted += 1;
      res.writeHead(200).end();
      return;
    }
    const isKnown =
      !this.losesAtOnce && (!this.hasSessions || req.headers['mcp-session-id'] === this.#sessionId());
    if (req.method === 'GET') {
      const lastId = req.headers['last-event-id'];
      this.lastIds.push(typeof lastId === 'string' ? Buffer.from(lastId, 'latin1').toString() : undefined);
      this.#get(req, res, isKnown);
      return;
    }
    const message = JSON.parse(body) as Message;
    this.methods.push(message.method ?? 'answer');
    if (message.method === 'initialize') {
      this.#session += 1;
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true }, ...(this.refusesLists && { prompts: {} }) },
        serverInfo: { name: 'fixture', version: '1' },
      };
      if (this.hasSessions) res.setHeader('Mcp-Session-Id', this.#sessionId());
      this.#answer(res, { jsonrpc: '2.0', id: message.id, result });
      return;
    }
    if (!isKnown && !(message.method === 'ping' && this.alwaysAnswersPing)) {
      res.writeHead(this.lostStatus, { 'content-type': 'application/json' });
      const id = this.lostStatus === 200 ? message.id : null;
      const error = { code: this.lostCode, message: this.lostBody };
      res.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      return;
    }
    if (message.id === undefined) {
      if (message.method === 'notifications/cancelled') this.cancelled.push(message.params);
      if (this.acknowledges) res.writeHead(202).end();
      return;
    }
    if (this.intercept?.(message, res) !== true) this.#request(message, res);
  }

  #request({ id, method, params }: Message, res: ServerResponse): void {
    if (this.refusesLists && method === 'prompts/list') {
      res.writeHead(404).end('no such route');
      return;
    }
    if (method === 'tools/list') {
      const tools = this.tools.map((name) =>
        this.declare({
          name,
          description: `This is ${name}.`,
          inputSchema: { type: 'object' },
          ...(name.startsWith('read') && { annotations: { readOnlyHint: true } }),
        }),
      );
      this.#answer(res, { jsonrpc: '2.0', id, result: { tools } });
      return;
    }
    if (method === 'ping') {
      this.#answer(res, { jsonrpc: '2.0', id, result: {} });
      return;
    }
    const { name = '', arguments: args = {}, _meta } = params ?? {};
    const result = {
      content: [
        { type: 'text', text: `${name} ${typeof args['message'] === 'string' ? args['message'] : ''}` },
      ],
    };
    const answer = { jsonrpc: '2.0', id, result };
    if (name === 'refuse')
      this.#answer(res, { jsonrpc: '2.0', id, error: { code: -32602, message: String(args['message']) } });
    else if (name === 'slow') this.#slow.add(setTimeout(() => this.#answer(res, answer), Number(args['ms'])));
    else if (name === 'cut' || name === 'readCut') res.destroy();
    else if (name === 'readCutOnce' && this.count('tools/call') === 1) res.destroy();
    else if (name === 'progress') {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const progress of [1, 2]) {
        const update = { progressToken: _meta?.progressToken, progress };
        res.write(
          `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: update })}\n\n`,
        );
      }
      res.end(`: comment\r\ndata: ${JSON.stringify(answer)}\r\n\r\n`);
    } else this.#answer(res, answer);
  }

  #answer(res: ServerResponse, message: JsonObject): void {
    if (this.answersAs === 'json') {
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    if (
      this.answersAs === 'resumed' &&
      'result' in message &&
      !('protocolVersion' in (message['result'] as JsonObject))
    ) {
      this.#toResume = JSON.stringify(message);
      res.end('id: e1\nretry: 20\ndata:\n\n');
      return;
    }
    res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (this.endsStreams) res.end();
  }

  #get(req: IncomingMessage, res: ServerResponse, isKnown: boolean): void {
    if (!isKnown && this.streamInstead === undefined) {
      res.writeHead(this.lostStatus).end(this.lostBody);
      return;
    }
    const [, number] = /^e(\d+)$/.exec(String(req.headers['last-event-id'])) ?? [];
    if (number !== undefined && this.resumeStatus !== 200) {
      res.writeHead(this.resumeStatus).end();
      return;
    }
    if (number !== undefined) {
      const data = Number(number) > this.emptyResumes ? ` ${this.#toResume}` : '';
      const events = `id: e${Number(number) + 1}\ndata:${data}\n\n`;
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
      return;
    }
    this.asked += 1;
    if (this.streamInstead === 'reset') {
      res.destroy();
      return;
    }
    if (this.streamInstead !== undefined) {
      const { status, body, retryAfter } = this.streamInstead;
      res.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end(body);
      return;
    }
    if (!this.hasStream) {
      res.writeHead(405).end();
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    this.#streams.add(res);
    res.on('close', () => this.#streams.delete(res));
  }

  #sessionId(): string {
    return `session-${this.#session}`;
  }
}
