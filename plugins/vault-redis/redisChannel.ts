import { isObject, messageOf } from 'pegboard';
import type { Redis } from 'ioredis';
import type { JsonObject, Log } from 'pegboard';
import type { KeyRing } from '../contracts/vault.ts';
import type { VaultRedisConfig } from './config.ts';
import { connectSubscriber } from './connect.ts';
import { Tally } from '../kit/metrics/tally.ts';
import type { Metric, MetricSource } from '../contracts/metrics.ts';
import type { Channel, Subscriber } from '../contracts/processes.ts';
import type { RedisConnection } from './redisConnection.ts';
import { openValue, sealValue } from './sealedValue.ts';

/** The Redis channel below the key prefix, and the context of its seals. */
const NAME = '"channel"';
/** As a script over a key, because a cluster keeps no order between messages of several nodes. */
const PUBLISH = "return redis.call('PUBLISH', KEYS[1], ARGV[1])";
/** Time after which a connection without an answer counts as lost, which no message would show. */
const PING_MS = 10_000;

export interface RedisChannelParts {
  readonly connection: RedisConnection;
  readonly config: () => VaultRedisConfig;
  readonly ring: () => KeyRing;
  readonly log: Log;
  /** Id of this process. */
  readonly own: string;
}

/** All topics over one channel of Redis; messages are sealed as values are. */
export class RedisChannel implements Channel, MetricSource {
  readonly #parts: RedisChannelParts;
  readonly #pingMs: number;
  readonly #byTopic = new Map<string, Set<Subscriber>>();
  readonly #messages = new Tally();
  #gaps = 0;
  #client: Redis | undefined;
  #pinging: NodeJS.Timeout | undefined;

  constructor(parts: RedisChannelParts, pingMs = PING_MS) {
    this.#parts = parts;
    this.#pingMs = pingMs;
  }

  publish(topic: string, message: JsonObject): void {
    const { connection, config, ring, own, log } = this.#parts;
    this.#messages.add({ direction: 'sent' });
    const sealed = sealValue(ring(), NAME, JSON.stringify({ from: own, topic, message }));
    connection
      .run((client) => client.eval(PUBLISH, 1, config().keyPrefix + NAME, sealed))
      .catch((error: unknown) => {
        this.#messages.add({ direction: 'lost' });
        log.debug('a message to other processes is lost', { topic, reason: messageOf(error) });
      });
  }

  subscribe(topic: string, subscriber: Subscriber): () => void {
    const subscribers = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, subscribers.add(subscriber));
    return () => void subscribers.delete(subscriber);
  }

  /** Redis allows nothing but subscriptions on their connection, so they have one of their own. */
  open(): void {
    const { config } = this.#parts;
    const client = (this.#client = connectSubscriber(config()));
    // The other connection logs that Redis is away.
    client.on('error', () => undefined);
    client.on('messageBuffer', (_name: Buffer, bytes: Buffer) => this.#receive(bytes));
    client.on('ready', () => {
      client
        .subscribe(config().keyPrefix + NAME)
        .then(() => this.#tellGap())
        // The connection has ended again; the next one subscribes.
        .catch(() => undefined);
    });
    void client.connect().catch(() => undefined);
    this.#pinging = setInterval(() => {
      // A failure ends the connection; the next one subscribes.
      if (client.status === 'ready') void client.ping().catch(() => undefined);
    }, this.#pingMs);
  }

  close(): void {
    clearInterval(this.#pinging);
    this.#client?.disconnect();
    this.#client = undefined;
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'mcp.channel.messages',
        kind: 'counter',
        unit: '{message}',
        description: 'Messages between processes by direction: sent, lost (could not be sent), received.',
        read: () => this.#messages.samples(),
      },
      {
        name: 'mcp.channel.gaps',
        kind: 'counter',
        unit: '{gap}',
        description: 'Times that messages may have been missed: the connection was away, or has begun.',
        read: () => [{ value: this.#gaps }],
      },
      {
        name: 'mcp.channel.connected',
        kind: 'gauge',
        unit: '1',
        description: 'Whether messages of other processes arrive: 1 or 0.',
        read: () => [{ value: Number(this.#client?.status === 'ready') }],
      },
    ];
  }

  #tellGap(): void {
    this.#gaps += 1;
    for (const subscribers of this.#byTopic.values()) for (const { gap } of subscribers) gap?.();
  }

  #receive(bytes: Buffer): void {
    const { ring, own, log } = this.#parts;
    const json = openValue(ring(), NAME, bytes);
    const value: unknown = json === undefined ? undefined : JSON.parse(json);
    if (!isObject(value) || !isObject(value['message'])) {
      log.warn('a message on the channel was not sealed with the keys of this process; it is ignored');
      return;
    }
    const { from, topic, message } = value;
    if (from === own) return;
    this.#messages.add({ direction: 'received' });
    for (const subscriber of this.#byTopic.get(String(topic)) ?? []) subscriber.message(message);
  }
}
