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
import { isRefusal, permitted, refusal } from './refusal.ts';
import { openValue, sealValue } from './sealedValue.ts';

/** The Redis channel below the key prefix, and the context of its seals. */
const NAME = '"channel"';
/** As a script over a key, because a cluster keeps no order between messages of several nodes. */
const PUBLISH = "return redis.call('PUBLISH', KEYS[1], ARGV[1])";
/** Time after which a connection without an answer counts as lost, which no message would show. */
const PING_MS = 10_000;
/** The topic of messages that a process sends to itself. */
const TRIAL = 'trial';
/** The topic on which a process says that messages of it were lost, which others need not have noticed. */
const GAP = 'gap';
/** Beyond `timeoutMs`, for a connection that was lost together with the other one. */
const RECONNECT_MS = 1_000;

export interface RedisChannelParts {
  readonly connection: RedisConnection;
  readonly config: () => VaultRedisConfig;
  readonly ring: () => KeyRing;
  readonly log: Log;
  /** Id of this process. */
  readonly own: string;
  /** Called where the channel is no longer what it was: a subscription is refused, others have other keys, or a message is lost. */
  readonly doubted?: () => void;
}

/** What waits for the message that this process sends to itself. */
interface Trial {
  readonly id: number;
  readonly subscribed: () => void;
  readonly done: (error?: Error) => void;
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
  #isSubscribed = false;
  #subscribing: Promise<void> | undefined;
  #reason = 'no connection';
  #trial: Trial | undefined;
  #trials = 0;
  #openings = 0;
  #hasLost = false;

  constructor(parts: RedisChannelParts, pingMs = PING_MS) {
    this.#parts = parts;
    this.#pingMs = pingMs;
  }

  publish(topic: string, message: JsonObject): void {
    this.#messages.add({ direction: 'sent' });
    this.#send(topic, message).catch((error: unknown) => {
      this.#messages.add({ direction: 'lost' });
      this.#parts.log.debug('a message to other processes is lost', { topic, reason: messageOf(error) });
      if (this.#hasLost) return;
      this.#hasLost = true;
      this.#parts.doubted?.();
    });
  }

  subscribe(topic: string, subscriber: Subscriber): () => void {
    const subscribers = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, subscribers.add(subscriber));
    return () => void subscribers.delete(subscriber);
  }

  /** Redis allows nothing but subscriptions on their connection, so they have one of their own. */
  open(): void {
    const client = (this.#client = connectSubscriber(this.#parts.config(), this.#openings++));
    // The other connection logs that Redis is away.
    client.on('error', (error: Error) => {
      if (client === this.#client) this.#reason = messageOf(error);
    });
    client.on('messageBuffer', (_name: Buffer, bytes: Buffer) => this.#receive(bytes));
    client.on('ready', () => {
      if (client === this.#client) void this.#subscribe(client);
    });
    client.on('close', () => {
      if (client === this.#client) this.#isSubscribed = false;
    });
    void client.connect().catch(() => undefined);
    this.#pinging = setInterval(() => {
      // A failure ends the connection; the next one subscribes.
      if (client.status === 'ready') void client.ping().catch(() => undefined);
    }, this.#pingMs);
  }

  close(): void {
    clearInterval(this.#pinging);
    this.#isSubscribed = false;
    this.#subscribing = undefined;
    const client = this.#client;
    this.#client = undefined;
    client?.disconnect();
    this.#trial?.done(new Error('the channel is closed'));
  }

  /** Sends a message to this process, after the subscription if there is none.
   *  @throws GatewayError STORE_UNREACHABLE if it does not arrive, with the words of Redis and what to do */
  async verify(): Promise<void> {
    await this.#verify();
    if (!this.#hasLost) return;
    this.#hasLost = false;
    this.publish(GAP, {});
  }

  async #verify(): Promise<void> {
    if (await this.#hearsItself()) return;
    // Closed meanwhile: an ended plugin must not connect again.
    if (this.#client === undefined) return;
    // Its connection may have been lost without a word; a server that refuses messages also refuses them on a new one.
    this.close();
    this.open();
    if (await this.#hearsItself()) return;
    const { keyPrefix } = this.#parts.config();
    const reason = this.#isSubscribed ? 'the message did not arrive' : this.#reason;
    const fix = 'allow SUBSCRIBE and PUBLISH, or connect to Redis itself instead of a proxy';
    const text = `no message between processes passes Redis on channel ${keyPrefix + NAME} within ${this.#waitMs} ms`;
    throw refusal(`${text}: ${reason}; ${fix}`);
  }

  /** The vault has lost its entries. */
  tellEmptied(): void {
    for (const subscribers of this.#byTopic.values()) for (const { emptied } of subscribers) emptied?.();
    this.tellGap();
  }

  /** Messages of others may have been missed. */
  tellGap(): void {
    this.#gaps += 1;
    for (const subscribers of this.#byTopic.values()) for (const { gap } of subscribers) gap?.();
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'pegboard.channel.messages',
        kind: 'counter',
        unit: '{message}',
        description: 'Messages between processes by direction: sent, lost (could not be sent), received.',
        read: () => this.#messages.samples(),
      },
      {
        name: 'pegboard.channel.gaps',
        kind: 'counter',
        unit: '{gap}',
        description: 'Times that messages may have been missed: the connection was away, or has begun.',
        read: () => [{ value: this.#gaps }],
      },
      {
        name: 'pegboard.channel.connected',
        kind: 'gauge',
        unit: '1',
        description: 'Whether messages of other processes arrive: 1 or 0.',
        read: () => [{ value: Number(this.#isSubscribed) }],
      },
    ];
  }

  get #waitMs(): number {
    return this.#parts.config().timeoutMs + RECONNECT_MS;
  }

  /** @returns false if nothing arrives in time @throws what Redis answers */
  #hearsItself(): Promise<boolean> {
    const config = this.#parts.config();
    const heard = new Promise<boolean>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#trial = undefined;
      };
      const done = (error?: Error): void => {
        end();
        if (error === undefined) resolve(true);
        else reject(error);
      };
      const timer = setTimeout(() => {
        end();
        resolve(false);
      }, this.#waitMs);
      const id = (this.#trials += 1);
      const subscribed = (): void =>
        void permitted(config, `PUBLISH to ${config.keyPrefix + NAME}`, () =>
          this.#send(TRIAL, { id }),
        ).catch((error: unknown) => {
          if (this.#trial?.id === id) done(error as Error);
        });
      this.#trial = { id, subscribed, done };
    });
    const client = this.#client;
    if (this.#isSubscribed) this.#trial?.subscribed();
    else if (client?.status === 'ready') void this.#subscribe(client);
    return heard;
  }

  async #send(topic: string, message: JsonObject): Promise<void> {
    const { connection, config, ring, own } = this.#parts;
    const sealed = sealValue(ring(), NAME, JSON.stringify({ from: own, topic, message }));
    await connection.run((client) => client.eval(PUBLISH, 1, config().keyPrefix + NAME, sealed));
  }

  #subscribe(client: Redis): Promise<void> {
    if (this.#subscribing !== undefined) return this.#subscribing;
    const subscribing = this.#subscribeNow(client).finally(() => {
      if (this.#subscribing === subscribing) this.#subscribing = undefined;
    });
    return (this.#subscribing = subscribing);
  }

  async #subscribeNow(client: Redis): Promise<void> {
    const { config, doubted } = this.#parts;
    const channel = config().keyPrefix + NAME;
    try {
      await permitted(config(), `SUBSCRIBE to ${channel}`, () => client.subscribe(channel));
    } catch (error) {
      if (client !== this.#client) return;
      this.#reason = messageOf(error);
      // The connection has ended again; the next one subscribes.
      if (!isRefusal(error)) return;
      if (this.#trial === undefined) doubted?.();
      else this.#trial.done(error as Error);
      return;
    }
    if (client !== this.#client) return;
    this.#isSubscribed = true;
    this.tellGap();
    this.#trial?.subscribed();
  }

  #receive(bytes: Buffer): void {
    const { ring, own, log, doubted } = this.#parts;
    const json = openValue(ring(), NAME, bytes);
    const value: unknown = json === undefined ? undefined : JSON.parse(json);
    if (!isObject(value) || !isObject(value['message'])) {
      log.warn('a message on the channel was not sealed with the keys of this process; it is ignored');
      doubted?.();
      return;
    }
    const { from, topic, message } = value;
    if (topic === TRIAL) {
      if (from === own && message['id'] === this.#trial?.id) this.#trial?.done();
      return;
    }
    if (from === own) return;
    this.#messages.add({ direction: 'received' });
    if (topic === GAP) this.tellGap();
    for (const subscriber of this.#byTopic.get(String(topic)) ?? []) subscriber.message(message);
  }
}
