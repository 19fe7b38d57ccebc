/* eslint-disable @typescript-eslint/no-deprecated -- HTTP+SSE itself is deprecated */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { defer } from '../../support/cleanup.ts';

type Way = 'POST' | 'GET';

/** A server of the SDK at one url, whose transport may change while it runs; it ends with the test. */
export class ChangingTransport {
  speaks: 'streamable-http' | 'sse' | 'neither' = 'sse';
  /** Answers to requests of a transport that it does not speak; `reset` closes the connection, `stream` opens one, `ended` ends it. */
  readonly refusals: Record<Way, number | 'reset' | 'stream' | 'ended'> = { POST: 405, GET: 405 };
  /** The value of Authorization that it wants of every request. */
  wanted: string | undefined;
  /** Methods of the requests for its url. */
  readonly seen: string[] = [];
  readonly #server = createServer((req, res) => void this.#serve(req, res));
  readonly #open = new Map<string, SSEServerTransport>();
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as { readonly port: number }).port;
    defer(() => this.close());
  }
  /** Ends its connections and is not reached until it listens again. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#open.clear();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost');
    const isMessage = pathname === '/message';
    const way = req.method === 'GET' ? 'GET' : 'POST';
    if (!isMessage) this.seen.push(way);
    if (this.wanted !== undefined && req.headers.authorization !== this.wanted) {
      res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    } else if (isMessage) {
      const known = this.#open.get(searchParams.get('sessionId') ?? '');
      if (known === undefined) res.writeHead(404).end('no such session');
      else await known.handlePostMessage(req, res);
    } else if (way === 'GET' && this.speaks === 'sse') {
      const transport = new SSEServerTransport('/message', res);
      this.#open.set(transport.sessionId, transport);
      await greeter().connect(transport);
    } else if (way === 'POST' && this.speaks === 'streamable-http') {
      const transport = new StreamableHTTPServerTransport({});
      await greeter().connect(transport);
      await transport.handleRequest(req, res);
    } else this.#refuse(res, this.refusals[way]);
  }

  #refuse(res: ServerResponse, how: number | 'reset' | 'stream' | 'ended'): void {
    if (how === 'reset') res.destroy();
    else if (how === 'stream') res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    else if (how === 'ended') res.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    else res.writeHead(how, { 'content-type': 'text/plain' }).end('not here');
  }
}

function greeter(): McpServer {
  const server = new McpServer({ name: 'greeter', version: '1' });
  server.registerTool('hi', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
  return server;
}
