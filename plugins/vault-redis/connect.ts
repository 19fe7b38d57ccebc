import { rootCertificates } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import type { VaultRedisConfig } from './config.ts';

/** Longest time between two attempts to connect. */
const MAX_RETRY_MS = 500;
const DEFAULT_PORT = { redis: 6379, sentinel: 26379 } as const;

export type RedisClient = Redis | Cluster;

/** A client for operations that reconnects for ever and keeps no operation for later: an operation whose caller was told that
 *  it failed must not run afterwards. Not connected yet. */
export function connect(config: VaultRedisConfig): RedisClient {
  if (!config.cluster) return connectOne(config);
  return new Cluster(
    urlsOf(config).map((url) => hostOf(url, DEFAULT_PORT.redis)),
    {
      redisOptions: optionsFor(config),
      clusterRetryStrategy: retryStrategy,
      // By default, ioredis sends an operation again whose connection was lost, and waits longer than timeoutMs for a cluster
      // that is down. The queue is for operations whose node is being connected, without which they would fail.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      // It would need a right more, and hides what the cluster answers.
      enableReadyCheck: false,
      enableOfflineQueue: true,
      lazyConnect: true,
      slotsRefreshTimeout: config.timeoutMs,
    },
  );
}

/** A client for subscriptions. In a cluster it uses one node after the other, because each one receives all messages; that of
 *  ioredis reports neither the loss of its node nor the new subscription. @param first index of the node to begin with */
export function connectSubscriber(config: VaultRedisConfig, first: number): Redis {
  const client = connectOne(config);
  if (config.sentinelMaster !== undefined) return client;
  const hosts = urlsOf(config).map((url) => hostOf(url, DEFAULT_PORT.redis));
  let attempts = first;
  const choose = (): void => void Object.assign(client.options, hosts[attempts % hosts.length]);
  choose();
  return client.on('reconnecting', () => {
    attempts += 1;
    choose();
  });
}

/** The servers that hold keys: the one, or the masters of a cluster. @throws Error if one of these cannot be found */
export async function mastersOf(client: RedisClient): Promise<readonly Redis[]> {
  if (!(client instanceof Cluster)) return [client];
  const masters = (): readonly (Redis | undefined)[] => {
    const byName = new Map(client.nodes().map((node) => [`${node.options.host}:${node.options.port}`, node]));
    return [...new Set(client.slots.map(([name]) => name))].map((name) => byName.get(name ?? ''));
  };
  // The connection to a node that was away is made by the next operation on it, or by this.
  if (masters().includes(undefined))
    await new Promise<void>((resolve, reject) => {
      client.refreshSlotsCache((error) => (error ? reject(error) : resolve()));
    });
  const found = masters();
  if (found.every((node) => node !== undefined)) return found;
  throw new Error('a master of the cluster is missing');
}

/** What a client for a cluster does not tell by itself.
 *  @param lost called when a master is away @param replaced called when others have taken the place of masters */
export function watchMasters(
  client: RedisClient,
  { lost, replaced }: { readonly lost: (at: string) => void; readonly replaced: () => void },
): void {
  if (!(client instanceof Cluster)) return;
  const present = (): readonly string[] => [...new Set(client.slots.map(([name]) => name ?? ''))].sort();
  let known = '';
  // A node that never answered is tried again and again, and was reported before.
  client.on('+node', (node: Redis) => {
    const at = `${node.options.host}:${node.options.port}`;
    node.once('ready', () => node.once('end', () => present().includes(at) && lost(at)));
  });
  client.on('refresh', () => {
    const former = known;
    known = present().join();
    if (former !== '' && former !== known) replaced();
  });
}

function connectOne(config: VaultRedisConfig): Redis {
  const { sentinelMaster, sentinelUsername, sentinelPassword, timeoutMs } = config;
  const urls = urlsOf(config);
  const options = {
    ...optionsFor(config),
    retryStrategy,
    enableOfflineQueue: false,
    // It was a master before: the name of the host, or the sentinels, have another one by now.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  };
  if (sentinelMaster === undefined) return new Redis({ ...options, ...hostOf(urls[0], DEFAULT_PORT.redis) });
  return new Redis({
    ...options,
    name: sentinelMaster,
    sentinels: urls.map((url) => hostOf(url, DEFAULT_PORT.sentinel)),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: timeoutMs,
    ...(options.tls && { enableTLSForSentinelMode: true, sentinelTLS: options.tls }),
  });
}

function retryStrategy(attempt: number): number {
  return Math.min(attempt * 50, MAX_RETRY_MS);
}

function optionsFor(config: VaultRedisConfig) {
  const { timeoutMs } = config;
  return {
    ...accessOf(config),
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    // A connection that is lost without a word would be kept for a quarter of an hour.
    socketTimeout: 2 * timeoutMs,
    maxRetriesPerRequest: null,
    autoResendUnfulfilledCommands: false,
    lazyConnect: true,
  };
}

/** The user of the access control list whose rights count. */
export function userOf(config: VaultRedisConfig): string {
  return accessOf(config).username ?? 'default';
}

interface Access {
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: ConnectionOptions;
}

/** The access of all hosts is that of the first url. */
function accessOf(config: VaultRedisConfig): Access {
  const { username, password, ca, cert, key, serverName } = config;
  const [first] = urlsOf(config);
  const user = username ?? decodeURIComponent(first?.username ?? '');
  const word = password ?? decodeURIComponent(first?.password ?? '');
  const db = Number(first?.pathname.slice(1));
  return {
    ...(user !== '' && { username: user }),
    ...(word !== '' && { password: word }),
    ...(db > 0 && { db }),
    ...(first?.protocol === 'rediss:' && {
      tls: {
        ...(serverName !== undefined && { servername: serverName }),
        ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      },
    }),
  };
}

function urlsOf({ url }: VaultRedisConfig): readonly URL[] {
  return [url].flat().map((text) => new URL(text));
}

function hostOf(url: URL | undefined, port: number): { readonly host: string; readonly port: number } {
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return { host: host === '' ? 'localhost' : host, port: Number(url?.port) || port };
}
