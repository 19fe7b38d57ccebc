import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import { securityHeaders } from '../../kit/http/securityHeaders.ts';

/** @returns the page that the browser shows */
type Receive = (params: URLSearchParams) => Promise<Reply>;

const PATH = '/callback';
const HEADERS = { ...securityHeaders(false), 'cache-control': 'no-store', connection: 'close' };
const NOWHERE = page('Not found', html`<p>Nothing is at this address.</p>`, { status: 404 });

/** Receives the browser at the end of a sign-in. Source: RFC 8252 §7.3 */
export class CallbackListener {
  readonly redirectUri: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.redirectUri = callbackAt((server.address() as AddressInfo).port);
  }

  /** @param port 0 takes a free one @throws NodeJS.ErrnoException EADDRINUSE */
  static async open(port: number, receive: Receive): Promise<CallbackListener> {
    const server = createServer((req, res) => void respond(req, res, receive));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new CallbackListener(server);
  }

  close(): void {
    this.#server.close();
  }
}

export function callbackAt(port: number): string {
  return `http://127.0.0.1:${port}${PATH}`;
}

async function respond(req: IncomingMessage, res: ServerResponse, receive: Receive): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost');
  const isCallback = pathname === PATH && req.method === 'GET';
  const { status, headers, body } = isCallback ? await receive(searchParams) : NOWHERE;
  // The address holds a code.
  res.writeHead(status, { ...HEADERS, ...headers, 'referrer-policy': 'no-referrer' }).end(body);
}
