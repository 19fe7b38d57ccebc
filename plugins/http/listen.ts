import { createServer } from 'node:http';
import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { GatewayError, messageOf } from 'pegboard';
import type { ErrorCode, Log } from 'pegboard';
import type { HttpConfig } from './config.ts';
import { plainRefusal, writeReply } from './replies.ts';

const CHECK_EVERY_MS = 1_000;

export interface Listener {
  readonly port: number;
  /** Takes new limits; host, port and maxHeaderBytes stay as they are. */
  tune(config: HttpConfig): void;
  /** Stops accepting, waits for requests under way up to graceMs, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

/** Listens; `localhost` means both loopback addresses, because clients resolve it to either.
 *  @throws GatewayError PLUGIN_START naming the address and the fix */
export async function listen(config: HttpConfig, handler: RequestListener, log: Log): Promise<Listener> {
  const addresses = config.host === 'localhost' ? ['127.0.0.1', '::1'] : [config.host];
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let { port } = config;
  for (const address of addresses) {
    const server = create(config, handler);
    try {
      port = await bind(server, address, port);
      servers.push(server);
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      });
      // Without a listener an accept() that fails (no file handles left) would end the process.
      server.on('error', (error) => log.error('listener failed', { error }));
    } catch (error) {
      if (servers.length > 0 && isMissingAddress(error)) continue;
      for (const open of servers) open.close();
      throw bindFailure(config, error);
    }
  }
  return {
    port,
    tune: (next) => servers.forEach((server) => tune(server, next)),
    close: async (graceMs) => {
      const closed = servers.map((server) => close(server, graceMs));
      // To node a connection is not idle before its first request.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function create(config: HttpConfig, handler: RequestListener): Server {
  const options: ServerOptions = {
    maxHeaderSize: config.maxHeaderBytes,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    noDelay: true,
    // A missing Host is refused with all other bad ones, in JSON.
    requireHostHeader: false,
  };
  const server = createServer(options, handler);
  tune(server, config);
  server.on('clientError', answerClientError);
  server.on('checkExpectation', (_, res: ServerResponse) => answerExpectation(res));
  return server;
}

function tune(server: Server, config: HttpConfig): void {
  server.headersTimeout = config.headersTimeoutMs;
  server.requestTimeout = config.requestTimeoutMs;
  server.keepAliveTimeout = config.keepAliveTimeoutMs;
  server.maxConnections = config.maxConnections;
}

function bind(server: Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function isMissingAddress(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function bindFailure({ host, port }: HttpConfig, error: unknown): GatewayError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const fix: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another process has the port; stop it, or choose one with --port (0 takes a free one)',
    EACCES: 'the port needs more rights; choose one above 1023',
    EADDRNOTAVAIL: 'this machine has no such address; correct aggregator.host',
  };
  return new GatewayError(
    'PLUGIN_START',
    `cannot listen on ${host}:${port}: ${fix[code] ?? messageOf(error)}`,
    { cause: error },
  );
}

interface ClientFault {
  readonly status: string;
  readonly code: ErrorCode;
  readonly message: string;
}
const NOT_HTTP: ClientFault = {
  status: '400 Bad Request',
  code: 'REQUEST_MALFORMED',
  message: 'this is not HTTP/1.1',
};
const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'REQUEST_TOO_LARGE',
    message: 'the request head is too large; see plugins.http.config.maxHeaderBytes',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'REQUEST_TIMEOUT',
    message:
      'the request did not arrive in time; see headersTimeoutMs and requestTimeoutMs of plugins.http.config',
  },
};

/** Faults that node finds before there is a request: answered as JSON like all others. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, code, message } = CLIENT_FAULTS[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify({ error: { code, message } });
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  // Not left to the client, who may keep its side open for ever.
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

function answerExpectation(res: ServerResponse): void {
  const error = new GatewayError('REQUEST_MALFORMED', 'only Expect: 100-continue is known here');
  writeReply(res, { status: 417, headers: { connection: 'close' }, body: plainRefusal(error) });
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections that fall idle after close() would be kept for keepAliveTimeout.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const limit = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
