import { randomUUID } from 'node:crypto';
import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import type { VaultRedisConfig } from './config.ts';
import type { RedisConnection } from './redisConnection.ts';
import type { Peers } from '../contracts/processes.ts';

/** Below the key prefix. Quotes are escaped in the names of keys, so the vault does not list it. */
const KEY = '"peer":';
const TTL_MS = 30_000;
const RENEW_MS = 10_000;
/** One per process, so that a restart of the plugin does not make this process another one. */
const OWN = randomUUID();

/** Signs of life in Redis, which expire there. */
export class RedisPeers implements Peers {
  readonly own = OWN;
  readonly #connection: RedisConnection;
  readonly #config: () => VaultRedisConfig;
  readonly #log: Log;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  /** When the signs of other processes can last have been missing because Redis was away. */
  #awayAt = Infinity;

  constructor(
    connection: RedisConnection,
    config: () => VaultRedisConfig,
    log: Log,
    now: () => number = () => performance.now(),
  ) {
    this.#connection = connection;
    this.#config = config;
    this.#log = log;
    this.#now = now;
  }

  async open(): Promise<void> {
    this.#awayAt = this.#now();
    await this.#renew();
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async isAlive(id: string): Promise<boolean> {
    if (id === this.own) return true;
    const name = this.#nameOf(id);
    if ((await this.#connection.run((client) => client.exists(name))) > 0) return true;
    // After Redis was away, others need time to renew a sign that has expired meanwhile.
    return this.#now() - this.#awayAt < TTL_MS;
  }

  #nameOf(id: string): string {
    return this.#config().keyPrefix + KEY + id;
  }

  async #renew(): Promise<void> {
    try {
      const name = this.#nameOf(this.own);
      await this.#connection.run((client) => client.set(name, '', 'PX', TTL_MS));
    } catch (error) {
      this.#awayAt = this.#now();
      this.#log.debug('the sign of life of this process could not be renewed', {
        reason: messageOf(error),
      });
    }
  }
}
