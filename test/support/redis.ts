import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { Redis } from 'ioredis';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import type { Directory } from './directory.ts';
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
  return launch(await freePort(), makeDirectory(), args);
}

/** Three masters, and a replica of the first one. They are a cluster at once, because each begins with the nodes file of one. */
export async function startCluster(): Promise<readonly RedisServer[]> {
  const ports = await Promise.all(
    [0, 1, 2, 3].map(async () => [await freePort(), await freePort()] as const),
  );
  const idOf = (at: number): string => String(at).repeat(40);
  const roles = ['master - 0 0 1 connected 0-5460', 'master - 0 0 2 connected 5461-10922'];
  roles.push('master - 0 0 3 connected 10923-16383', `slave ${idOf(0)} 0 0 1 connected`);
  const start = async ([port, busPort]: readonly [number, number], own: number): Promise<RedisServer> => {
    const nodes = ports.map(
      ([to, bus], at) => `${idOf(at)} 127.0.0.1:${to}@${bus} ${at === own ? 'myself,' : ''}${roles[at]}\n`,
    );
    const directory = makeDirectory({
      'nodes.conf': `${nodes.join('')}vars currentEpoch 3 lastVoteEpoch 0\n`,
    });
    const args = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];
    args.push('--cluster-port', String(busPort), '--cluster-node-timeout', '500');
    return launch(port, directory, [...args, '--repl-diskless-sync-delay', '0']);
  };
  const nodes = await Promise.all(ports.map(start));
  await until(async () => (await Promise.all(nodes.map(isInCluster))).every(Boolean), {
    what: 'the cluster',
  });
  return nodes;
}

async function isInCluster({ port }: RedisServer): Promise<boolean> {
  const client = new Redis(port);
  try {
    const isLinked =
      (await client.info('replication')).includes('role:master') ||
      (await client.info('replication')).includes('master_link_status:up');
    return isLinked && (await client.cluster('INFO')).includes('cluster_state:ok');
  } finally {
    client.disconnect();
  }
}

async function launch(port: number, { path }: Directory, args: readonly string[]): Promise<RedisServer> {
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
