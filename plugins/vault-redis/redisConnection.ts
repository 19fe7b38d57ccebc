import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { connect, watchMasters } from './connect.ts';
import type { RedisClient } from './connect.ts';
import type { VaultRedisConfig } from './config.ts';

/** What ioredis reports if no node of a cluster can be used. */
interface ClusterError extends Error {
  readonly lastNodeError?: Error;
}

const ENDED = 'the connection has ended';

/** The connection to Redis. An operation waits for a connection at most `timeoutMs`, and is never repeated or kept. */
export class RedisConnection {
  readonly #config: () => VaultRedisConfig;
  readonly #log: Log;
  readonly #running = new Set<Promise<unknown>>();
  readonly #changed: () => void;
  #client: RedisClient | undefined;
  #isAway = false;
  /** What the last attempt was answered, while Redis is away. */
  #reason = '';
  /** What the log has last said to do about a refusal. */
  #told: string | undefined;

  /** @param changed called after the connection was lost or has begun, also that to one master of a cluster */
  constructor(config: () => VaultRedisConfig, log: Log, changed: () => void = () => undefined) {
    this.#config = config;
    this.#log = log;
    this.#changed = changed;
  }

  /** @throws GatewayError STORE_UNREACHABLE if Redis does not answer, with the reason that it gives */
  async open(): Promise<void> {
    const client = this.#begin();
    if (!(await this.#ready(client)))
      throw this.#unreachable(this.#reason === '' ? 'no answer' : this.#reason);
  }

  /** Begins a new connection with the configuration that there is now; what runs is answered by the former one. */
  reopen(): void {
    if (this.#client === undefined) return;
    this.close();
    this.#begin();
  }

  /** Refuses operations at once; those that have begun are answered before the connection ends. */
  close(): void {
    const client = this.#client;
    this.#client = undefined;
    void Promise.allSettled(this.#running).then(() => client?.disconnect());
  }

  /** @param operation one command @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN if Redis is full */
  async run<T>(operation: (client: RedisClient) => Promise<T>): Promise<T> {
    const running = this.#run(operation);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      if (isGatewayError(error)) throw error;
      throw this.#refusal(messageOf(error), error);
    } finally {
      this.#running.delete(running);
    }
  }

  #begin(): RedisClient {
    const client = (this.#client = connect(this.#config()));
    // A former client may still answer what has begun.
    const isOwn = (): boolean => client === this.#client;
    client.on('error', (error: Error) => {
      if (isOwn()) this.#noticeLoss(messageOf((error as ClusterError).lastNodeError ?? error));
    });
    client.on('close', () => {
      if (isOwn()) this.#noticeLoss(this.#reason === '' ? ENDED : this.#reason);
    });
    client.on('ready', () => {
      if (isOwn()) this.#noticeReturn();
    });
    watchMasters(client, {
      lost: (at) => {
        if (!isOwn()) return;
        this.#log.warn('a master of the Redis cluster is away; operations on its keys fail', { at });
        this.#changed();
      },
      replaced: () => {
        if (!isOwn()) return;
        this.#log.info('the Redis cluster has other masters than before');
        this.#changed();
      },
    });
    // Its promise settles with the first attempt only; ready() waits for all of them.
    void client.connect().catch(() => undefined);
    return client;
  }

  async #run<T>(operation: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (client === undefined) throw new GatewayError('STORE_UNREACHABLE', 'the vault is closed; try again');
    let timer: NodeJS.Timeout | undefined;
    const attempt = async (): Promise<T> => {
      // Synchronous if possible, so that operations on one key keep their order.
      if (client.status !== 'ready' && !(await this.#ready(client)))
        throw this.#unreachable(['no connection', this.#reason].filter(Boolean).join(': '));
      return operation(client);
    };
    const attempted = attempt();
    // Also bounds what an operation takes that has waited for the connection.
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), this.#config().timeoutMs);
    });
    try {
      return await Promise.race([attempted, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns false if there is no connection within `timeoutMs` */
  #ready(client: RedisClient): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isReady: boolean): void => {
        clearTimeout(timer);
        client.off('ready', ready);
        resolve(isReady);
      };
      const ready = (): void => done(true);
      const timer = setTimeout(() => done(client.status === 'ready'), this.#config().timeoutMs);
      client.once('ready', ready);
    });
  }

  #refusal(reason: string, cause: unknown): GatewayError {
    const { keyPrefix } = this.#config();
    if (reason.includes('OOM ')) {
      const fix = 'let entries expire, or give it more maxmemory';
      return new GatewayError('STORE_FORBIDDEN', `Redis is full; ${fix}`, { cause });
    }
    if (reason.includes('WRONGTYPE')) {
      const text = `another application uses keys below ${keyPrefix}; set plugins.vault-redis.config.keyPrefix`;
      return new GatewayError('STORE_UNREACHABLE', text, { cause });
    }
    return this.#unreachable(reason, cause);
  }

  #unreachable(reason: string, cause?: unknown): GatewayError {
    const fix = fixOf(reason) ?? this.#fixOfPlace(reason);
    const text = `Redis at ${this.#place()} does not answer: ${reason}; ${fix}`;
    return new GatewayError('STORE_UNREACHABLE', text, { cause });
  }

  #fixOfPlace(reason: string): string {
    const { url, cert } = this.#config();
    const fix = 'check plugins.vault-redis.config.url, and that it runs';
    if (cert !== undefined || !/ECONNRESET/.test(reason) || ![url].flat()[0]?.startsWith('rediss:'))
      return fix;
    return `${fix}; if it wants a certificate of this client, set cert and key of plugins.vault-redis.config`;
  }

  /** Hosts without their access. */
  #place(): string {
    return [this.#config().url]
      .flat()
      .map((url) => new URL(url).host)
      .join(', ');
  }

  #noticeLoss(given: string): void {
    const reason = given.trim().replace(/\s+/g, ' ');
    const at = this.#place();
    const fix = fixOf(reason);
    // Only some attempts get to read why the server has ended the connection.
    if (fix !== undefined || this.#told === undefined) this.#reason = reason;
    if (!this.#isAway) {
      this.#isAway = true;
      this.#log.warn('no connection to Redis; operations fail until it is back', { at, reason });
      this.#changed();
    }
    if (fix === undefined || fix === this.#told) return;
    this.#told = fix;
    this.#log.warn('Redis refuses the connection', { at, reason, fix });
  }

  #noticeReturn(): void {
    [this.#reason, this.#told] = ['', undefined];
    if (this.#isAway) this.#log.info('the connection to Redis is back', { at: this.#place() });
    this.#isAway = false;
    this.#changed();
  }
}

/** @returns what to do about words of refusal; undefined if there are none */
function fixOf(reason: string): string | undefined {
  const keys = 'plugins.vault-redis.config';
  if (/sentinel/i.test(reason) && /WRONGPASS|NOAUTH/.test(reason))
    return `check sentinelUsername and sentinelPassword of ${keys}, and the password of the sentinels`;
  if (/WRONGPASS|NOAUTH|NOPERM/.test(reason)) return `check the user, the password and the rights of ${keys}`;
  if (/certificate required/i.test(reason))
    return `it wants a certificate of this client: set cert and key of ${keys}`;
  return undefined;
}
