import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { listenLocally } from '../../conformance/listen.ts';
import { defer } from '../../support/cleanup.ts';

/** A server of the official SDK 1.x with one transport for all, as its simplest examples are: it serves one session per start. */
export class OneSession {
  url = '';
  /** Verb, and method or nothing, of each request. */
  readonly received: string[] = [];
  /** The ids of the requests of the session. */
  ids: unknown[] = [];
  /** The status of every answer, in place of the usual one. */
  instead: number | undefined;
  #starts = 0;
  #transport: StreamableHTTPServerTransport | undefined;

  /** Listens until the test ends. */
  static async start(): Promise<OneSession> {
    const one = new OneSession();
    await one.restart();
    const listening = await listenLocally(createServer((req, res) => void one.#serve(req, res)));
    defer(() => listening.close());
    one.url = listening.url;
    return one;
  }

  count(request: string): number {
    return this.received.filter((one) => one === request).length;
  }

  /** As a new process: no session, and no requests. */
  async restart(): Promise<void> {
    this.#starts += 1;
    this.received.length = 0;
    this.ids = [];
    await this.#transport?.close();
    this.#transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
    const mcp = new McpServer({ name: 'one', version: String(this.#starts) });
    mcp.registerTool('start', {}, () => ({ content: [{ type: 'text', text: String(this.#starts) }] }));
    mcp.registerTool('later', { inputSchema: { ms: z.number() } }, async ({ ms }) => {
      await pause(ms);
      return { content: [{ type: 'text', text: `after ${ms} ms` }] };
    });
    await mcp.connect(this.#transport);
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = Buffer.concat((await req.toArray()) as Buffer[]).toString();
    const message =
      body === '' ? {} : (JSON.parse(body) as { readonly method?: string; readonly id?: unknown });
    this.received.push(`${req.method} ${message.method ?? ''}`.trim());
    if (message.id !== undefined) this.ids.push(message.id);
    if (this.instead !== undefined) res.writeHead(this.instead).end();
    else await this.#transport?.handleRequest(req, res, body === '' ? undefined : message);
  }
}
