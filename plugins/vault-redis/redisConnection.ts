import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { connect } from './connect.ts';
import type { RedisClient } from './connect.ts';
import type { VaultRedisConfig } from './config.ts';

/** What ioredis reports if no node of a cluster can be used. */
interface ClusterError extends Error {
  readonly lastNodeError?: Error;
}

/** The connection to Redis. An operation waits for a connection at most `timeoutMs`, and is never repeated or kept. */
export class RedisConnection {
  readonly #config: () => VaultRedisConfig;
  readonly #log: Log;
  readonly #running = new Set<Promise<unknown>>();
  #client: RedisClient | undefined;
  #isAway = false;

  constructor(config: () => VaultRedisConfig, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  /** @throws GatewayError STORE_UNREACHABLE if Redis does not answer, with the reason that it gives */
  async open(): Promise<void> {
    const client = (this.#client = connect(this.#config()));
    let reason = '';
    client.on('error', (error: Error) => {
      reason = messageOf((error as ClusterError).lastNodeError ?? error);
      this.#noticeLoss(reason);
    });
    client.on('close', this.#closed);
    client.on('ready', () => this.#noticeReturn());
    // Its promise settles with the first attempt only; ready() waits for all of them.
    void client.connect().catch(() => undefined);
    if (!(await this.#ready(client))) throw this.#unreachable(reason === '' ? 'no answer' : reason);
  }

  /** Refuses operations at once; those that have begun are answered before the connection ends. */
  close(): void {
    const client = this.#client;
    this.#client = undefined;
    void Promise.allSettled(this.#running).then(() => {
      client?.off('close', this.#closed);
      client?.disconnect();
    });
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

  async #run<T>(operation: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (client === undefined) throw new GatewayError('STORE_UNREACHABLE', 'the vault is closed; try again');
    let timer: NodeJS.Timeout | undefined;
    const attempt = async (): Promise<T> => {
      // Synchronous if possible, so that operations on one key keep their order.
      if (client.status !== 'ready' && !(await this.#ready(client))) throw this.#unreachable('no connection');
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
    const isAccess = /WRONGPASS|NOAUTH|NOPERM/.test(reason);
    const fix = isAccess
      ? 'check the user, the password and the rights of plugins.vault-redis.config'
      : 'check plugins.vault-redis.config.url, and that it runs';
    const text = `Redis at ${this.#place()} does not answer: ${reason}; ${fix}`;
    return new GatewayError('STORE_UNREACHABLE', text, { cause });
  }

  /** Hosts without their access. */
  #place(): string {
    return [this.#config().url]
      .flat()
      .map((url) => new URL(url).host)
      .join(', ');
  }

  readonly #closed = (): void => this.#noticeLoss('the connection has ended');

  #noticeLoss(reason: string): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#log.warn('no connection to Redis; operations fail until it is back', {
      at: this.#place(),
      reason,
    });
  }

  #noticeReturn(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#log.info('the connection to Redis is back', { at: this.#place() });
  }
}
