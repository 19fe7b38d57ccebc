import { once } from 'pegboard';
import type { Pool } from 'undici';
import { forwarded, socketOpener } from './socketOpener.ts';
import type { OpenerParts } from './socketOpener.ts';
import type { SocketFlow } from './socketFlow.ts';

export interface PoolParts extends OpenerParts {
  readonly maxConnections: number;
  /** How long an idle connection is kept, if the server would keep it longer; absent: MAX_IDLE_MS. */
  readonly maxIdleMs?: number;
}

/** What is between us and a server may forget an idle connection without a word: a call on it would have no answer. */
const MAX_IDLE_MS = 20_000;
/** When the system first asks whether a silent connection is still there. */
const KEEP_ALIVE_MS = 30_000;

// Each import() asks the resolver in another thread, also for a module that is there.
const undici = once(() => import('undici'));

/** Imports undici with the first remote server, not at start-up. @throws GatewayError CONFIG_UNREADABLE */
export async function openPool(parts: PoolParts, flow: SocketFlow): Promise<Pool> {
  const { url, maxConnections, connectMs, maxIdleMs } = parts;
  const { Pool: UndiciPool, buildConnector } = await undici();
  // What cannot be read fails the attempt, with the file.
  if (url.protocol === 'https:') parts.trust();
  const connectSocket = socketOpener((more) => buildConnector({ timeout: connectMs, ...more }), parts);
  const connect: typeof connectSocket = (options, done) => {
    connectSocket(options, (...result) => {
      if (result[0] === null) {
        // Also of those that a proxy has opened, which undici leaves as they are.
        result[1].setKeepAlive(true, KEEP_ALIVE_MS);
        flow.watch(result[1]);
      }
      done(...result);
    });
  };
  const keeping =
    maxIdleMs === undefined
      ? { keepAliveMaxTimeout: MAX_IDLE_MS }
      : { keepAliveTimeout: maxIdleMs, keepAliveMaxTimeout: maxIdleMs };
  const options = { connections: maxConnections, pipelining: 1, connect, ...keeping };
  return forwarded(new UndiciPool(url.origin, options), parts);
}
