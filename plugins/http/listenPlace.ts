import { createServer } from 'node:http';
import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import type { Log } from 'pegboard';
import { answerClientError, answerExpectation } from './clientFaults.ts';
import type { HttpConfig } from './config.ts';
import { closesGently } from '../kit/http/closeGently.ts';

const CHECK_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 20;
/** Time for the first request of a connection that was open when the place was left: proxies connect for a request that they have. */
const FIRST_REQUEST_MS = 250;
/** A turn of the event loop that accepts nothing and takes less than this leaves no connection unaccepted. */
const CALM_TURN_MS = 0.5;
const CALM_WITHIN_MS = 250;

/** One address and port to listen on. */
export interface ListenPlace {
  readonly address: string;
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  /** Undefined where the system has none. */
  readonly descriptor: number | undefined;
  tune(config: HttpConfig): void;
  /** Lets each response close its connection from now on. New connections are accepted. */
  drain(): void;
  /** Waits, but not for long, until the system has no connection that this process has not accepted: leaving would reset it. */
  calm(): Promise<void>;
  /** Accepts no more connections, closes idle ones, and waits for running requests. */
  leave(): Promise<void>;
  /** As leave, but the socket stays open, and closes each new connection at once, until it is resumed. */
  suspend(): Promise<void>;
  resume(): void;
  /** Closes the remaining connections. */
  cut(): void;
}
export interface PlaceParts {
  readonly config: HttpConfig;
  readonly handler: RequestListener;
  readonly log: Log;
}

/** @param to an address and port, or a socket that listens already @throws the system's error */
export async function openPlace(
  to: { readonly host: string; readonly port: number } | { readonly fd: number },
  parts: PlaceParts,
): Promise<ListenPlace> {
  let isDraining = false;
  let isSuspended = false;
  const handler: RequestListener = (req, res) => {
    if (isDraining) res.setHeader('connection', 'close');
    parts.handler(req, res);
  };
  const server = createServerFor({ ...parts, handler });
  const { address, port } = await bind(server, to);
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    if (isSuspended) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Without a listener, a failing accept() (no file handles left) would end the process.
  server.on('error', (error) => parts.log.error('listener failed', { error }));
  const drain = (): void => {
    isDraining = true;
    for (const socket of sockets) announceClose(socket);
  };
  return {
    address,
    port,
    sockets,
    descriptor: descriptorOf(server),
    tune: (config) => tune(server, config),
    drain,
    calm: async () => {
      drain();
      // A turn that has begun may have looked for connections already.
      await new Promise(setImmediate);
      const begun = performance.now();
      for (let now = begun; now - begun < CALM_WITHIN_MS;) {
        const [before, turn] = [accepted, now];
        await new Promise(setImmediate);
        now = performance.now();
        if (accepted === before && now - turn < CALM_TURN_MS) return;
      }
    },
    leave: () => {
      drain();
      return leave(server, sockets);
    },
    suspend: async () => {
      isSuspended = true;
      drain();
      await emptied(server, sockets);
    },
    resume: () => {
      if (isSuspended) isDraining = false;
      isSuspended = false;
    },
    cut: () => server.closeAllConnections(),
  };
}

/** Only this internal property of node holds it. */
function descriptorOf(server: Server): number | undefined {
  const { _handle: handle } = server as unknown as { readonly _handle?: { readonly fd?: number } };
  return handle?.fd !== undefined && handle.fd >= 0 ? handle.fd : undefined;
}

function createServerFor({ config, handler }: PlaceParts): Server {
  const options: ServerOptions = {
    connectionsCheckingInterval: CHECK_EVERY_MS,
    noDelay: true,
    // A missing Host is refused in JSON, with all other bad ones.
    requireHostHeader: false,
  };
  const server = createServer(options, handler);
  tune(server, config);
  closesGently(server);
  server.on('clientError', answerClientError);
  server.on('checkExpectation', (_, res: ServerResponse) => answerExpectation(res));
  return server;
}

function tune(server: Server, config: HttpConfig): void {
  server.headersTimeout = config.headersTimeoutMs;
  server.requestTimeout = config.requestTimeoutMs;
  server.keepAliveTimeout = config.keepAliveTimeoutMs;
  server.maxConnections = config.maxConnections;
  // Node reads this property for each new connection, although it documents it as an option of createServer only.
  Object.assign(server, { maxHeaderSize: config.maxHeaderBytes });
}

function bind(server: Server, to: ListenOptions & { readonly fd?: number }): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(to, () => {
      server.off('error', reject);
      const bound = server.address();
      if (typeof bound === 'object' && bound !== null)
        resolve({ ...bound, address: 'host' in to && to.host !== undefined ? to.host : bound.address });
      else server.close(() => reject(new Error('it is not a socket with an address and a port')));
    });
  });
}

/** A client that receives `connection: close` does not send its next request into a closing connection. Only this internal
 *  property of node holds the response in progress. */
function announceClose(socket: Socket): void {
  const { _httpMessage: answer } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  if (answer?.headersSent === false) answer.setHeader('connection', 'close');
}

async function leave(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.all([closed, emptied(server, sockets)]);
}

/** Closes the connections that are open now, each once it is idle. */
async function emptied(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const ended = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  // Node does not count a connection as idle before its first request.
  const unused = setTimeout(() => {
    // What has arrived meanwhile is read first.
    setImmediate(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    });
  }, FIRST_REQUEST_MS);
  // Connections that become idle later would stay open for keepAliveTimeout.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  await Promise.all(ended);
  clearInterval(sweep);
  clearTimeout(unused);
}
