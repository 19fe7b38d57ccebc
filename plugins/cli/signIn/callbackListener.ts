import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The page that the browser shows: plain text. */
export interface CallbackPage {
  readonly status: number;
  readonly text: string;
}
type Receive = (params: URLSearchParams) => Promise<CallbackPage>;

const PATH = '/callback';
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

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
  const { status, text } = isCallback ? await receive(searchParams) : { status: 404, text: 'Not found' };
  res.writeHead(status, HEADERS).end(`${text}\n`);
}
