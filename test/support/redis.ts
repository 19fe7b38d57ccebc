import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { freePort } from './everything.ts';
import { until } from './until.ts';

export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;
/** What to type where it is missing. */
export const NO_REDIS = 'SKIPPED: no redis-server here; install it with: apt-get install redis-server';

export interface RedisServer {
  readonly port: number;
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** The same data on the same port. */
  restart(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

/** A real redis-server on a free port, ended after the test. @param args its command line, such as `--requirepass` */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const { path } = makeDirectory();
  const start = async () => {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', path, '--save', ''];
    const child = spawn('redis-server', [...own, '--appendonly', 'yes', ...args], { stdio: 'ignore' });
    await until(() => answers(port), { what: 'redis-server' });
    return child;
  };
  let child = await start();
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  defer(() => kill());
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart: async () => {
      await kill();
      child = await start();
    },
    signal: (signal) => void child.kill(signal),
  };
}

export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
