import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayError, messageOf, waitAtMost } from 'pegboard';
import type { Log } from 'pegboard';
import { UnreadAnswers } from './unreadAnswers.ts';
import { oneAtATime } from './oneAtATime.ts';
import { closesGently, hasLargeRest } from './closeGently.ts';

const GRACE_MS = 1_000;
/** Bound on the bytes of responses that clients have not read yet. */
const MAX_UNREAD_BYTES = 32 * 1_048_576;

export interface SideListenerParts {
  /** `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly handler: RequestListener;
  readonly log: Log;
  /** What the operator changes if the place is taken: `OTEL_EXPORTER_PROMETHEUS_PORT`. */
  readonly setting: string;
}

/** A listener beside the public one, for the operator: metrics, the admin page. */
export interface SideListener {
  readonly port: number;
  /** Waits a second for running requests. */
  close(): Promise<void>;
}

/** @throws GatewayError PLUGIN_START naming the address and the setting */
export async function openSideListener(parts: SideListenerParts): Promise<SideListener> {
  const { host, log } = parts;
  const unread = new UnreadAnswers(
    () => MAX_UNREAD_BYTES,
    (bytes) => log.warn('connection closed: its client does not read responses', { bytes }),
  );
  const handler = oneAtATime((req, res) => {
    unread.watch(res);
    // Whether or not it will be read.
    if (hasLargeRest(req)) res.setHeader('connection', 'close');
    parts.handler(req, res);
  });
  const servers: Server[] = [];
  let { port } = parts;
  for (const address of host === 'localhost' ? ['127.0.0.1', '::1'] : [host]) {
    const server = createServer({ noDelay: true }, handler);
    closesGently(server);
    try {
      port = await bind(server, address, port);
    } catch (error) {
      if (servers.length > 0 && MISSING.has(codeOf(error))) continue;
      for (const open of servers) open.close();
      throw bindFailure(parts, error);
    }
    // Without a listener, a failing accept() would end the process.
    server.on('error', (error) => log.error('listener failed', { error }));
    servers.push(server);
  }
  return {
    port,
    close: async () => {
      const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      for (const server of servers) server.closeIdleConnections();
      await waitAtMost(GRACE_MS, closed);
      for (const server of servers) server.closeAllConnections();
      await closed;
    },
  };
}

/** A machine without IPv6. */
const MISSING = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** @returns the port @throws the system's error */
function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function bindFailure({ host, port, setting }: SideListenerParts, error: unknown): GatewayError {
  const fix: Readonly<Record<string, string>> = {
    EADDRINUSE: `another process has the port; set ${setting} to another one`,
    EACCES: `the port needs more rights; set ${setting} to one above 1023`,
  };
  const why = fix[codeOf(error)] ?? messageOf(error);
  return new GatewayError('PLUGIN_START', `cannot listen on ${host}:${port}: ${why}`, { cause: error });
}
