import { GatewayError, isObject, messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import type { Standing } from './pending.ts';
import type { Requests } from './requests.ts';
import { rpcText } from './rpcText.ts';
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

/** One subscriptions/listen request. */
interface Subscription {
  standing: Standing | undefined;
  readonly acknowledged: (honored: JsonObject) => void;
  readonly failed: (error: GatewayError) => void;
}

/** Subscribes to all notifications of a server of the modern era at once: by one request that stays open, replaced when more
 *  is wanted. Source: MCP 2026-07-28, Subscriptions */
export class Listening {
  readonly #parts: ListeningParts;
  /** Of the connected server; undefined while there is none of this era. */
  #capabilities: JsonObject | undefined;
  #current: Subscription | undefined;
  #next: Subscription | undefined;
  #update: Promise<JsonObject> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Number of subscriptions in turn that ended by themselves. */
  #losses = 0;

  constructor(parts: ListeningParts) {
    this.#parts = parts;
  }

  begin(capabilities: JsonObject): void {
    this.end();
    this.#capabilities = capabilities;
    this.#losses = 0;
    this.#try();
  }

  /** The connection has ended, or is about to. */
  end(): void {
    this.#capabilities = undefined;
    clearTimeout(this.#timer);
    this.#current?.standing?.end();
    this.#current = undefined;
    this.#giveUp('the connection to the server ended');
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
    if (this.#next === undefined || String(id) !== String(this.#next.standing?.id)) return;
    this.#take(this.#next, isObject(notifications) ? notifications : {});
  }

  #subscribe(): Promise<JsonObject> {
    clearTimeout(this.#timer);
    this.#giveUp('another subscription has replaced it');
    const filter = this.#filter();
    if (Object.keys(filter).length > 0) return new Promise((...settle) => this.#ask(filter, ...settle));
    this.#current?.standing?.end();
    this.#current = undefined;
    return Promise.resolve(filter);
  }

  #ask(
    filter: JsonObject,
    resolve: (honored: JsonObject) => void,
    reject: (error: GatewayError) => void,
  ): void {
    const { server, requests, timeoutMs } = this.#parts;
    const late = `server ${server} did not acknowledge subscriptions/listen`;
    const timer = setTimeout(() => this.#giveUp(late), timeoutMs());
    const subscription: Subscription = {
      standing: undefined,
      acknowledged: (honored) => {
        clearTimeout(timer);
        resolve(honored);
      },
      failed: (error) => {
        clearTimeout(timer);
        reject(error);
      },
    };
    this.#next = subscription;
    const text = rpcText('subscriptions/listen', { notifications: filter });
    const ended = (error?: GatewayError): void => this.#ended(subscription, error);
    subscription.standing = requests.stand(text, { settle: () => ended(), reject: ended });
    if (subscription.standing === undefined) this.#giveUp(`server ${server} is not connected`);
  }

  #giveUp(why: string): void {
    const next = this.#next;
    this.#next = undefined;
    next?.standing?.end();
    next?.failed(new GatewayError('UPSTREAM_CLOSED', why));
  }

  /** The acknowledged subscription replaces the former one. */
  #take(next: Subscription, honored: JsonObject): void {
    this.#next = undefined;
    this.#current?.standing?.end();
    this.#current = next;
    const wasLost = this.#losses > 0;
    this.#losses = 0;
    next.acknowledged(honored);
    if (wasLost) this.#parts.missed();
  }

  #ended(subscription: Subscription, error: GatewayError | undefined): void {
    if (this.#next === subscription) {
      this.#next = undefined;
      const why = `server ${this.#parts.server} ended the subscription`;
      subscription.failed(error ?? new GatewayError('UPSTREAM_CLOSED', why));
    } else if (this.#current === subscription) this.#current = undefined;
    if (this.#current === undefined) this.#tryLater();
  }

  /** A server that ends each subscription is asked at ever longer intervals. */
  #tryLater(): void {
    if (this.#capabilities === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#try(), resumeWait(undefined, this.#parts.waits(), this.#losses));
    this.#losses += 1;
  }

  #try(): void {
    const { server, log } = this.#parts;
    this.update().catch((error: unknown) => {
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
