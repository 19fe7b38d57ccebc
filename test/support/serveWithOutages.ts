import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { defer } from './cleanup.ts';
import { gate } from './until.ts';

export interface OutageServer {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>`, without a slash at its end. */
  readonly url: string;
  /** Requests to that path so far, those during an outage included. */
  readonly requests: (path: string) => number;
  /** From now on requests to that path, or all, wait until `resume`. */
  readonly pause: (path?: string) => void;
  /** From now on requests to that path, or all, are answered with that status and nothing else; `reset`: not at all, the connection
   *  ends; `cut`: it ends within the answer. */
  readonly fail: (outage: number | 'reset' | 'cut', path?: string) => void;
  /** Ends every outage; what waits continues. */
  readonly resume: () => void;
  /** No address answers any more: connections are refused. */
  readonly close: () => Promise<void>;
}
export type Handle = (req: IncomingMessage, res: ServerResponse, path: string) => unknown;

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

/** An HTTP server on loopback that counts its requests and can be out of order; closed after the test. */
export async function serveWithOutages(handle: Handle, port = 0, tls?: TlsFiles): Promise<OutageServer> {
  const counts = new Map<string, number>();
  const ALL = '';
  const failing = new Map<string, number | 'reset' | 'cut'>();
  const paused = new Map<string, ReturnType<typeof gate>>();
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = (req.url ?? '').replace(/\?.*/, '');
    counts.set(path, (counts.get(path) ?? 0) + 1);
    await (paused.get(path) ?? paused.get(ALL))?.opened;
    const outage = failing.get(path) ?? failing.get(ALL);
    if (outage === undefined) await handle(req, res, path);
    else if (outage === 'reset') req.socket.resetAndDestroy();
    else if (outage === 'cut') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
      res.write('{"access_token":', () => req.socket.resetAndDestroy());
    } else res.writeHead(outage).end();
  };
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    answer(req, res).catch((error: unknown) => res.destroy(error as Error));
  };
  const server =
    tls === undefined
      ? createServer(listener)
      : createTlsServer({ cert: readFileSync(tls.certificate), key: readFileSync(tls.key) }, listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  defer(close);
  const origin = tls === undefined ? 'http://127.0.0.1' : 'https://localhost';
  return {
    url: `${origin}:${(server.address() as AddressInfo).port}`,
    requests: (path) => counts.get(path) ?? 0,
    pause: (path = ALL) => void paused.set(path, gate()),
    fail: (outage, path = ALL) => void failing.set(path, outage),
    resume: () => {
      for (const { open } of paused.values()) open();
      paused.clear();
      failing.clear();
    },
    close,
  };
}
