import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../kernel/index.ts';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

/** An MCP server of the older transport: one event stream for all answers. Its tools are echo and never. */
export class OlderFixture {
  /** Whether a POST has an answer of its own. */
  acknowledges = true;
  readonly methods: string[] = [];
  readonly #server: Server;
  #stream: ServerResponse | undefined;

  constructor() {
    this.#server = createServer((req, res) => void this.#serve(req, res));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/sse`;
  }
  count(method: string): number {
    return this.methods.filter((one) => one === method).length;
  }
  /** Connections that are open now. */
  connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_, count) => resolve(count)));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    if (req.method === 'GET') {
      this.#stream = res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('event: endpoint\ndata: /message\n\n');
      return;
    }
    const { id, method, params } = JSON.parse(body) as Message;
    this.methods.push(method);
    if (this.acknowledges) res.writeHead(202).end();
    if (id === undefined || params?.name === 'never') return;
    this.#stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) })}\n\n`);
  }
}

function resultOf(method: string): JsonObject {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'older', version: '1' },
      };
    case 'tools/list':
      return { tools: ['echo', 'never'].map((name) => ({ name, inputSchema: { type: 'object' } })) };
    default:
      return { content: [{ type: 'text', text: 'ok' }] };
  }
}
