import { randomUUID } from 'node:crypto';
import { isObject } from 'pegboard';
import type { Client, InboundRequest, JsonObject, Scope } from 'pegboard';
import type { StatelessSink } from '../../contracts/mcp.ts';
import { CodecError, RPC, writeNotification, writeResult } from '../message/codec.ts';
import type { MessageId } from '../message/codec.ts';
import type { FrontConfig } from '../config.ts';
import { WATCHED_LISTS } from '../client/listWatch.ts';
import type { WatchedList, ListWatch } from '../client/listWatch.ts';
import { Subscriptions } from '../client/subscriptions.ts';
import { watch } from '../client/uriWatch.ts';
import { SUBSCRIPTION_KEY } from './envelope.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const UPDATED = 'notifications/resources/updated';

interface Listener {
  readonly transport: string;
  readonly notify: (method: string, params?: JsonObject) => void;
  readonly end: () => void;
}
export interface ListenRequest {
  readonly id: MessageId;
  readonly params: JsonObject;
  readonly request: InboundRequest;
  readonly client: Pick<Client, 'capabilities'>;
}

/** The streams of `subscriptions/listen`. Source: MCP 2026-07-28, Subscriptions. */
export class Listeners {
  readonly #scope: Scope<FrontConfig>;
  readonly #listWatch: ListWatch;
  readonly #open = new Map<string, Listener>();
  readonly #resources: Subscriptions;

  constructor(scope: Scope<FrontConfig>, listWatch: ListWatch) {
    this.#scope = scope;
    this.#listWatch = listWatch;
    this.#resources = new Subscriptions(
      () => scope.config,
      (key, uri) => this.#open.get(key)?.notify(UPDATED, { uri }),
      () => 0,
    );
  }

  /** First acknowledges the notifications that it will send, then sends them until one side ends it. @throws CodecError */
  async open(listening: ListenRequest, sink: StatelessSink): Promise<void> {
    const { id, params } = listening;
    const { notifications: wanted } = params;
    if (!isObject(wanted))
      throw new CodecError(RPC.invalidParams, 'params.notifications must be an object', id);
    const lists = WATCHED_LISTS.filter((list) => wanted[`${list}ListChanged`] === true);
    const key = randomUUID();
    const early: (() => void)[] = [];
    let isAcknowledged = false;
    const write = (method: string, more: JsonObject = {}): void =>
      sink.before(writeNotification(method, { _meta: { [SUBSCRIPTION_KEY]: id }, ...more }));
    const notify: Listener['notify'] = (method, more) => {
      if (isAcknowledged) write(method, more);
      else early.push(() => write(method, more));
    };
    const changed = (list: WatchedList): void => {
      if (lists.includes(list)) notify(`notifications/${list}/list_changed`);
    };
    const unfollow = this.#listWatch.follow(listening.request, changed);
    const forget = (): void => {
      unfollow();
      this.#open.delete(key);
      this.#resources.drop(key);
    };
    const end = (): void => {
      forget();
      const result = { resultType: 'complete', _meta: { [SUBSCRIPTION_KEY]: id } };
      sink.answer(writeResult(id, JSON.stringify(result)));
    };
    this.#open.set(key, { transport: listening.request.transport, notify, end });
    sink.stand(end);
    sink.onLeave(forget);
    const resourceSubscriptions = await this.#watch(key, wanted['resourceSubscriptions'], listening);
    const agreed = {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
    };
    write(ACKNOWLEDGED, { notifications: agreed });
    isAcknowledged = true;
    for (const send of early) send();
  }

  /** Subscribes to all at the same time, because a server may be slow. @returns the uris that can be watched */
  async #watch(key: string, uris: unknown, { request, client }: ListenRequest): Promise<readonly string[]> {
    const asked = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
    const some = this.#open.has(key) ? [...new Set(asked)].slice(0, this.#scope.config.maxSubscriptions) : [];
    const begin = (uri: string): Promise<void> =>
      this.#resources.add(key, uri, (updated) => watch(this.#scope, { uri, request, updated, client }));
    const begun = await Promise.allSettled(some.map(begin));
    return some.filter((uri, at) => {
      const one = begun[at];
      if (one?.status === 'rejected')
        this.#scope.log.info('resource not watched', { uri, error: one.reason });
      return one?.status === 'fulfilled';
    });
  }

  /** The transport of each open stream. */
  transports(): readonly string[] {
    return [...this.#open.values()].map(({ transport }) => transport);
  }

  stop(): void {
    for (const { end } of [...this.#open.values()]) end();
    this.#resources.stop();
  }
}
