import { GatewayError, isObject, messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import { returnedKey } from '../rpc/pending.ts';
import type { StandingRequest } from '../rpc/pending.ts';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';
import { resumeWait } from '../wire/resumeWait.ts';
import type { ResumeWaits } from '../wire/resumeWait.ts';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const LISTS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' };

export interface ListeningParts {
  readonly server: string;
  readonly requests: Pick<Requests, 'stand'>;
  readonly log: Log;
  readonly timeoutMs: () => number;
  readonly waits: () => ResumeWaits;
  /** Whether changes of lists are wanted. */
  readonly wantsLists: boolean;
  /** The resources that are watched. */
  readonly uris: () => readonly string[];
  /** The server listens again after a pause in which its notifications were lost. */
  readonly missed: () => void;
}

/** Waits for the filter that the server acknowledges. */
interface Waiter {
  readonly resolve: (honored: JsonObject) => void;
  readonly reject: (error: GatewayError) => void;
}
/** One subscriptions/listen request. */
interface Subscription {
  readonly waiters: readonly Waiter[];
  readonly timer: NodeJS.Timeout;
  readonly begunAt: number;
  standing: StandingRequest | undefined;
}

/** Subscribes to all notifications of a server of the modern era at once: by one request that stays open, replaced when more
 *  is wanted. Source: MCP 2026-07-28, Subscriptions */
export class Listening {
  readonly #parts: ListeningParts;
  /** Capabilities of the connected server; undefined while there is none of this era. */
  #capabilities: JsonObject | undefined;
  #current: Subscription | undefined;
  #next: Subscription | undefined;
  /** They wait for the subscription after the next one. */
  #queued: Waiter[] = [];
  #update: Promise<JsonObject> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Number of subscriptions in turn that ended soon by themselves. */
  #losses = 0;
  /** Whether notifications may have been lost since the last subscription. */
  #hasMissed = false;

  constructor(parts: ListeningParts) {
    this.#parts = parts;
  }

  /** Whether the server notifies of changes now. */
  get isCurrent(): boolean {
    return this.#current !== undefined;
  }

  begin(capabilities: JsonObject): void {
    this.end();
    this.#capabilities = capabilities;
    this.#losses = 0;
    this.#hasMissed = false;
    this.#try();
  }

  /** The connection has ended, or is about to. */
  end(): void {
    this.#capabilities = undefined;
    clearTimeout(this.#timer);
    this.#stop();
    this.#reject(this.#leaveAll(), 'the connection to the server ended');
  }

  /** Subscribes to what is wanted now. Several calls in a turn cause one request.
   *  @returns the filter that the server acknowledges @throws GatewayError UPSTREAM_* */
  update(): Promise<JsonObject> {
    this.#update ??= Promise.resolve().then(() => {
      this.#update = undefined;
      return this.#subscribe();
    });
    return this.#update;
  }

  /** @param params of notifications/subscriptions/acknowledged */
  acknowledged({ _meta: meta, notifications }: JsonObject): void {
    const id = isObject(meta) ? meta[SUBSCRIPTION_KEY] : undefined;
    if (this.#next === undefined || returnedKey(id) !== this.#next.standing?.id) return;
    const next = this.#next;
    this.#next = undefined;
    clearTimeout(next.timer);
    clearTimeout(this.#timer);
    // The former one ends only now, so that nothing is lost in between.
    this.#stop();
    this.#current = next;
    const honored = isObject(notifications) ? notifications : {};
    for (const { resolve } of next.waiters) resolve(honored);
    if (this.#hasMissed) {
      this.#hasMissed = false;
      this.#parts.missed();
    }
    this.#goOn();
  }

  #subscribe(): Promise<JsonObject> {
    return new Promise((resolve, reject) => this.#replace({ resolve, reject }));
  }

  /** One at a time: many that begin to watch at once would otherwise keep each request from being acknowledged. */
  #replace(waiter: Waiter): void {
    this.#queued.push(waiter);
    if (this.#next === undefined) this.#goOn();
  }

  #goOn(): void {
    const waiters = this.#queued;
    if (waiters.length === 0) return;
    this.#queued = [];
    clearTimeout(this.#timer);
    const filter = this.#filter();
    if (this.#capabilities === undefined) this.#reject(waiters, 'the connection to the server ended');
    else if (Object.keys(filter).length > 0) this.#ask(filter, waiters);
    else {
      this.#stop();
      for (const { resolve } of waiters) resolve(filter);
    }
  }

  #ask(filter: JsonObject, waiters: readonly Waiter[]): void {
    const { server, requests, timeoutMs } = this.#parts;
    const late = (): void => {
      this.#reject(this.#leaveAll(), `server ${server} did not acknowledge subscriptions/listen`);
      this.#lost();
    };
    const timer = setTimeout(late, timeoutMs());
    const subscription: Subscription = { waiters, timer, begunAt: performance.now(), standing: undefined };
    this.#next = subscription;
    const text = rpcText('subscriptions/listen', { notifications: filter });
    const ended = (error?: GatewayError): void => this.#ended(subscription, error);
    subscription.standing = requests.stand(text, { settle: () => ended(), reject: ended });
    if (subscription.standing === undefined) this.#reject(this.#leave(), `server ${server} is not connected`);
  }

  #stop(): void {
    this.#current?.standing?.end();
    this.#current = undefined;
  }

  /** Ends the subscription that is not acknowledged yet. @returns who waits for it */
  #leave(): readonly Waiter[] {
    const next = this.#next;
    this.#next = undefined;
    clearTimeout(next?.timer);
    next?.standing?.end();
    return next?.waiters ?? [];
  }

  /** @returns all who wait */
  #leaveAll(): readonly Waiter[] {
    const waiters = [...this.#leave(), ...this.#queued];
    this.#queued = [];
    return waiters;
  }

  #reject(waiters: readonly Waiter[], why: string): void {
    for (const { reject } of waiters) reject(new GatewayError('UPSTREAM_CLOSED', why));
  }

  /** The server, or what is before it, has ended the subscription. */
  #ended(subscription: Subscription, error: GatewayError | undefined): void {
    const isNext = this.#next === subscription;
    const waiters = isNext ? this.#leave() : [];
    if (!isNext && this.#current === subscription) this.#current = undefined;
    const why = `server ${this.#parts.server} ended the subscription`;
    for (const { reject } of waiters) reject(error ?? new GatewayError('UPSTREAM_CLOSED', why));
    if (isNext) this.#goOn();
    // One that lasted was probably cut by a proxy.
    if (performance.now() - subscription.begunAt >= this.#parts.waits().maxResumeMs) this.#losses = 0;
    this.#lost();
  }

  /** A server that ends each subscription is asked at ever longer intervals. */
  #lost(): void {
    if (this.#capabilities === undefined || this.#current !== undefined) return;
    this.#hasMissed = true;
    clearTimeout(this.#timer);
    if (this.#next !== undefined) return;
    this.#timer = setTimeout(() => this.#try(), resumeWait(undefined, this.#parts.waits(), this.#losses));
    this.#losses += 1;
  }

  #try(): void {
    const { server, log } = this.#parts;
    this.#subscribe().catch((error: unknown) => {
      log.debug('server does not notify of changes now', { server, error: messageOf(error) });
    });
  }

  #filter(): JsonObject {
    const { wantsLists, uris } = this.#parts;
    const capabilities = this.#capabilities ?? {};
    const lists = Object.entries(LISTS).filter(([name]) => {
      const capability = capabilities[name];
      return wantsLists && isObject(capability) && capability['listChanged'] === true;
    });
    const watched = uris();
    return {
      ...Object.fromEntries(lists.map(([, name]) => [name, true])),
      ...(watched.length > 0 && { resourceSubscriptions: watched }),
    };
  }
}
