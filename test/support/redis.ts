import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { newKeyRing } from '../../plugins/kit/secrets/keyRing.ts';
import type { KeyRing } from '../../plugins/contracts/vault.ts';
import type { VaultRedisConfig } from '../../plugins/vault-redis/config.ts';
import { RedisConnection } from '../../plugins/vault-redis/redisConnection.ts';
import { RedisChannel } from '../../plugins/vault-redis/redisChannel.ts';
import { RedisVault } from '../../plugins/vault-redis/redisVault.ts';
import { verifyKeys, verifyServer } from '../../plugins/vault-redis/verifyStore.ts';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import type { Directory } from './directory.ts';
import { freePort } from './everything.ts';
import { captureLog } from './log.ts';
import { until } from './until.ts';

export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;
/** What to type where it is missing. */
export const NO_REDIS = 'SKIPPED: no redis-server here; install it with: apt-get install redis-server';

/** Skips the suite aloud where there is no redis-server. */
export function needRedis(suite: Mocha.Context): void {
  if (HAS_REDIS) return;
  console.log(NO_REDIS);
  suite.skip();
}

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
  return launch(port, [...dataArgs(port, makeDirectory()), ...args]);
}

/** Three masters, and a replica of the first one. They are a cluster at once, because each begins with the nodes file of one. */
export async function startCluster(): Promise<readonly RedisServer[]> {
  const ports = await Promise.all(
    [0, 1, 2, 3].map(async () => [await freePort(), await freePort()] as const),
  );
  const idOf = (at: number): string => String(at).repeat(40);
  const roles = ['master - 0 0 1 connected 0-5460', 'master - 0 0 2 connected 5461-10922'];
  roles.push('master - 0 0 3 connected 10923-16383', `slave ${idOf(0)} 0 0 1 connected`);
  const start = ([port, busPort]: readonly [number, number], own: number): Promise<RedisServer> => {
    const nodes = ports.map(
      ([to, bus], at) => `${idOf(at)} 127.0.0.1:${to}@${bus} ${at === own ? 'myself,' : ''}${roles[at]}\n`,
    );
    const directory = makeDirectory({
      'nodes.conf': `${nodes.join('')}vars currentEpoch 3 lastVoteEpoch 0\n`,
    });
    const args = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];
    args.push('--cluster-port', String(busPort), '--cluster-node-timeout', '500');
    return launch(port, [...dataArgs(port, directory), ...args]);
  };
  const nodes = await Promise.all(ports.map(start));
  const isReady = async (client: Redis, at: number): Promise<boolean> =>
    (await client.cluster('INFO')).includes('cluster_state:ok') &&
    (await client.info('replication')).includes(at < 3 ? 'role:master' : 'master_link_status:up');
  const clients = nodes.map(clientOf);
  await until(async () => (await Promise.all(clients.map(isReady))).every(Boolean), {
    what: 'the cluster',
    withinMs: 10_000,
  });
  return nodes;
}

export interface Watched {
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinel: RedisServer;
}

/** A master `main`, its replica, and a sentinel that promotes the replica half a second after the master has ended. */
export async function startSentinel(): Promise<Watched> {
  const master = await startRedis();
  const replica = await startRedis(['--replicaof', `127.0.0.1 ${master.port}`]);
  const port = await freePort();
  const { at } = makeDirectory({
    'sentinel.conf': `port ${port}
bind 127.0.0.1
sentinel monitor main 127.0.0.1 ${master.port} 1
sentinel down-after-milliseconds main 500
sentinel failover-timeout main 2000
`,
  });
  const client = clientOf(replica);
  const isReplica = async (): Promise<boolean> =>
    (await client.info('replication')).includes('master_link_status:up');
  await until(isReplica, { what: 'the replica', withinMs: 10_000 });
  const sentinel = await launch(port, [at('sentinel.conf'), '--sentinel']);
  const watching = clientOf(sentinel);
  await until(async () => /slaves=1,/.test(await watching.info('sentinel')), { what: 'the sentinel' });
  return { master, replica, sentinel };
}

export interface SlowRedis {
  readonly url: string;
  /** Every answer arrives this much later from now on. */
  readonly delay: (ms: number) => void;
  /** Present connections carry nothing more, but do not end; later ones work. */
  readonly swallow: () => void;
  /** Later connections lead to that server, as if the name had another address. */
  readonly lead: (to: RedisServer) => void;
  /** The number of connections that clients have made. */
  readonly connections: () => number;
}

/** A way to that server whose answers can be held up. */
export async function slowRedis(server: RedisServer): Promise<SlowRedis> {
  let delayMs = 0;
  let target = server;
  let connections = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    connections += 1;
    const upstream = createConnection(target.port, '127.0.0.1');
    let last = Promise.resolve();
    upstream.on('data', (bytes: Buffer) => {
      const passed = pause(delayMs);
      // In order, even if the delay becomes shorter.
      last = Promise.all([last, passed]).then(() => void client.write(bytes));
    });
    client.on('data', (bytes: Buffer) => upstream.write(bytes));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  defer(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    delay: (ms) => void (delayMs = ms),
    swallow: () => {
      for (const socket of sockets) socket.removeAllListeners('data').resume();
    },
    lead: (to) => void (target = to),
    connections: () => connections,
  };
}

/** A connection of its own, until the test ends. */
export function clientOf({ port }: RedisServer): Redis {
  const client = new Redis(port);
  client.on('error', () => undefined);
  defer(() => client.disconnect());
  return client;
}

function dataArgs(port: number, { path }: Directory): readonly string[] {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', path, '--save', ''];
  return [...own, '--appendonly', 'yes', '--repl-diskless-sync-delay', '0'];
}

async function launch(port: number, args: readonly string[]): Promise<RedisServer> {
  const start = async () => {
    const child = spawn('redis-server', args, { stdio: 'ignore' });
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

const DEFAULTS = {
  cluster: false,
  keyPrefix: 'pegboard:',
  timeoutMs: 400,
  verifyMs: 60_000,
  maxValueBytes: 10_000_000,
};

/** A vault as the plugin starts it. */
export async function openVault(change: Partial<VaultRedisConfig>, ring: KeyRing = newKeyRing()) {
  const opened = await openConnection(change, ring);
  await verifyServer(opened.connection, opened.config());
  await verifyKeys(opened.connection, ring, opened.config());
  return { ...opened, vault: new RedisVault(opened.connection, opened.ring, opened.config) };
}

/** The channel of one process: what it has received about `news`, and how often messages may have been lost. */
export async function joinChannel(
  change: Partial<VaultRedisConfig>,
  own: string,
  ring: KeyRing,
  pingMs?: number,
) {
  const opened = await openConnection(change, ring);
  const channel = new RedisChannel({ ...opened, own }, pingMs);
  const received: unknown[] = [];
  let gaps = 0;
  channel.subscribe('news', { message: (message) => received.push(message), gap: () => (gaps += 1) });
  channel.open();
  defer(() => channel.close());
  await until(() => gaps > 0, { what: 'the subscription' });
  return { ...opened, channel, received, gaps: () => gaps };
}

/** A connection as the plugin opens it. */
export async function openConnection(change: Partial<VaultRedisConfig>, ring: KeyRing = newKeyRing()) {
  const config = { ...DEFAULTS, url: '', ...change };
  const log = captureLog();
  const connection = new RedisConnection(() => config, log);
  defer(() => connection.close());
  await connection.open();
  return { log, connection, config: () => config, ring: () => ring };
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
