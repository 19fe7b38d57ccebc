import { createServer, request } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { listenLocally } from '../conformance/listen.ts';
import { defer } from '../support/cleanup.ts';

/** A reverse proxy in front of one server. */
export class Between {
  readonly #port: number;
  readonly #server: Server;
  readonly #sessions = new Set<string>();
  #isDown = false;
  #streams = 0;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((req, res) => {
      if (this.#isDown) {
        refuse(res);
        return;
      }
      const { method, url, headers } = req;
      const passed = request({ host: '127.0.0.1', port, method, path: url, headers });
      passed.on('response', (answer) => {
        const session = answer.headers['mcp-session-id'];
        if (typeof session === 'string') this.#sessions.add(session);
        res.writeHead(answer.statusCode ?? 0, answer.headers);
        // Else an event stream that has no event yet would not begin.
        res.flushHeaders();
        if (method === 'GET' && answer.statusCode === 200) this.#streams += 1;
        answer.pipe(res);
        answer.on('error', () => res.destroy());
      });
      passed.on('error', () => (res.headersSent ? res.destroy() : refuse(res)));
      res.on('close', () => passed.destroy());
      req.pipe(passed);
    });
  }

  /** @returns it with its address @param port of the server */
  static async open(port: number): Promise<{ readonly between: Between; readonly url: string }> {
    const between = new Between(port);
    const listening = await listenLocally(between.#server);
    defer(() => listening.close());
    return { between, url: `${listening.url}/mcp` };
  }

  /** Cuts every connection, and answers 502 until it is up again. */
  cut(): void {
    this.#isDown = true;
    this.#server.closeAllConnections();
  }
  up(): void {
    this.#isDown = false;
  }

  get hasSessions(): boolean {
    return this.#sessions.size > 0;
  }
  /** Whether a standing stream has been opened. */
  get hasStream(): boolean {
    return this.#streams > 0;
  }
  /** Ends at the server all sessions that were begun through here. */
  async sweep(): Promise<void> {
    const sessions = [...this.#sessions];
    this.#sessions.clear();
    for (const session of sessions) {
      const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
      const ended = await fetch(`http://127.0.0.1:${this.#port}/mcp`, { method: 'DELETE', headers });
      await ended.arrayBuffer();
    }
  }
}

function refuse(res: ServerResponse): void {
  res.writeHead(502, { 'content-type': 'text/html' }).end('<html><title>502 Bad Gateway</title></html>');
}
