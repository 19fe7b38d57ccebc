import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../kernel/index.ts';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: JsonObject };
}

const CHUNK = 65_536;

/** A remote MCP server that floods its standing stream, the one stream of the older transport, or the
 *  stream of each call, which it answers too. It writes more when its output has been read. */
export class FloodServer {
  /** Number of 64 KiB chunks read. */
  chunks = 0;
  /** Resets the connection of each call in the middle of the flood instead of answering. */
  resets = false;
  readonly #where: 'standing' | 'call' | 'sse';
  readonly #chunk: string;
  readonly #server: Server;
  #sse: ServerResponse | undefined;

  constructor(where: 'standing' | 'call' | 'sse', event: string) {
    this.#where = where;
    this.#chunk = event.repeat(Math.ceil(CHUNK / event.length));
    this.#server = createServer((req, res) => void this.#serve(req, res));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get spec(): JsonObject {
    const { port } = this.#server.address() as AddressInfo;
    const type = this.#where === 'sse' ? 'sse' : 'streamable-http';
    return { type, url: `http://127.0.0.1:${port}/mcp`, timeout: 5 };
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    if (req.method === 'GET') {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      if (this.#where === 'standing') this.#flood(res);
      if (this.#where !== 'sse') return;
      this.#sse = res;
      res.write('event: endpoint\ndata: /mcp\n\n');
      return;
    }
    const message = body === '' ? { method: 'none' } : (JSON.parse(body) as Message);
    if (message.id === undefined) {
      res.writeHead(202).end();
      if (message.method === 'notifications/initialized' && this.#sse !== undefined) this.#flood(this.#sse);
      return;
    }
    this.#answer(message, res);
  }

  #answer({ id, method, params }: Message, res: ServerResponse): void {
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params?.arguments) });
    if (this.#sse !== undefined) {
      res.writeHead(202).end();
      this.#sse.write(`data: ${text}\n\n`);
    } else if (this.#where === 'call' && method === 'tools/call') {
      res.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
      res.write(this.#chunk, () => {
        if (this.resets) setTimeout(() => res.socket?.resetAndDestroy(), 10);
      });
      if (this.resets) return;
      res.write(`data: ${text}\n\n`);
      this.#flood(res);
    } else res.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }

  #flood(res: ServerResponse): void {
    res.write(this.#chunk, () => {
      this.chunks += 1;
      if (!res.destroyed) setImmediate(() => this.#flood(res));
    });
  }
}

function resultOf(method: string, args: JsonObject | undefined): JsonObject {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'flood', version: '1' },
      };
    case 'tools/list':
      return { tools: [{ name: 'echo', description: 'echoes', inputSchema: { type: 'object' } }] };
    default:
      return { content: [{ type: 'text', text: String(args?.['message']) }] };
  }
}
