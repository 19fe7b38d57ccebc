import { rootCertificates } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import type { ConnectionOptions } from 'node:tls';
import type { VaultRedisConfig } from './config.ts';

/** Between two attempts to connect, at most. */
const MAX_RETRY_MS = 500;
const DEFAULT_PORT = { redis: 6379, sentinel: 26379 } as const;

export type Client = Redis | Cluster;

/** A client that reconnects for ever and keeps no operation for later: an operation whose caller was told that it failed must
 *  not run afterwards. Not connected yet. */
export function connect(config: VaultRedisConfig): Client {
  const { cluster, sentinelMaster, timeoutMs } = config;
  const urls = [config.url].flat().map((text) => new URL(text));
  const options = optionsFor(config, urls);
  const retryStrategy = (attempt: number): number => Math.min(attempt * 50, MAX_RETRY_MS);
  const common = {
    ...options,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: null,
    autoResendUnfulfilledCommands: false,
    lazyConnect: true,
  };
  if (cluster)
    return new Cluster(
      urls.map((url) => hostOf(url, DEFAULT_PORT.redis)),
      {
        redisOptions: common,
        clusterRetryStrategy: retryStrategy,
        enableOfflineQueue: false,
        lazyConnect: true,
        slotsRefreshTimeout: timeoutMs,
      },
    );
  const single = { ...common, retryStrategy, enableOfflineQueue: false };
  if (sentinelMaster === undefined) return new Redis({ ...single, ...hostOf(urls[0], DEFAULT_PORT.redis) });
  return new Redis({
    ...single,
    name: sentinelMaster,
    sentinels: urls.map((url) => hostOf(url, DEFAULT_PORT.sentinel)),
    sentinelRetryStrategy: retryStrategy,
    ...(options.tls && { enableTLSForSentinelMode: true, sentinelTLS: options.tls }),
  });
}

/** The servers that hold keys: the one, or the masters of a cluster. */
export function mastersOf(client: Client): readonly Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

interface Access {
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: ConnectionOptions;
}

/** The access of all hosts is that of the first url. */
function optionsFor(
  { username, password, ca, serverName }: VaultRedisConfig,
  [first]: readonly URL[],
): Access {
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
      },
    }),
  };
}

function hostOf(url: URL | undefined, port: number): { readonly host: string; readonly port: number } {
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return { host: host === '' ? 'localhost' : host, port: Number(url?.port) || port };
}
