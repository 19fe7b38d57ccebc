import { GatewayError } from 'pegboard';
import type { FrontConfig } from '../config.ts';

export type SubscriptionLimits = Pick<
  FrontConfig,
  'maxSubscriptions' | 'maxWatchingSessions' | 'subscriptionIdleMs' | 'listChangedMs'
>;

interface Subscription {
  end: (() => void) | undefined;
  timer: NodeJS.Timeout | undefined;
  isDue: boolean;
}
interface Watching {
  readonly byUri: Map<string, Subscription>;
  /** When its session could last receive a notification. */
  reachableAt: number;
}

/** The resources that sessions watch. Sends `notifications/resources/updated` at most once per `listChangedMs`; the last change is
 *  never lost. */
export class Subscriptions {
  readonly #limits: () => SubscriptionLimits;
  readonly #tell: (sessionId: string, uri: string) => void;
  readonly #collectMs: (sessionId: string) => number;
  readonly #bySession = new Map<string, Watching>();

  /** @param collectMs how long updates are collected before the first is sent, in ms */
  constructor(
    limits: () => SubscriptionLimits,
    tell: (sessionId: string, uri: string) => void,
    collectMs: (sessionId: string) => number,
  ) {
    this.#limits = limits;
    this.#tell = tell;
    this.#collectMs = collectMs;
  }

  /** A resource that is already watched is subscribed anew, because another server may provide it now.
   *  @param begin subscribes at the source
   *  @throws GatewayError REQUEST_FORBIDDEN over the limit, and what `begin` throws */
  async add(
    sessionId: string,
    uri: string,
    begin: (updated: () => void) => Promise<() => void>,
  ): Promise<void> {
    const watching = this.#bySession.get(sessionId) ?? watchingNothing();
    const { byUri } = watching;
    const former = byUri.get(uri);
    if (former === undefined) this.#checkRoom(byUri.size);
    const own: Subscription = { end: undefined, timer: undefined, isDue: false };
    byUri.set(uri, own);
    this.#bySession.set(sessionId, watching);
    try {
      own.end = await begin(() => this.#updated(sessionId, uri, own));
    } catch (error) {
      if (byUri.get(uri) === own) this.#forget(sessionId, uri);
      throw error;
    } finally {
      if (former !== undefined) endOne(former);
    }
    if (this.#bySession.get(sessionId)?.byUri.get(uri) !== own) own.end();
  }

  /** @param watched how many resources the session watches already */
  #checkRoom(watched: number): void {
    const { maxSubscriptions, maxWatchingSessions } = this.#limits();
    const text =
      watched >= maxSubscriptions
        ? `a session may watch ${maxSubscriptions} resources; unsubscribe from one first`
        : `${maxWatchingSessions} sessions watch resources already; read them again instead, or try later`;
    const isFull = watched === 0 && this.#bySession.size >= maxWatchingSessions;
    if (isFull || watched >= maxSubscriptions) throw new GatewayError('REQUEST_FORBIDDEN', text);
  }

  remove(sessionId: string, uri: string): void {
    const own = this.#bySession.get(sessionId)?.byUri.get(uri);
    if (own === undefined) return;
    this.#forget(sessionId, uri);
    endOne(own);
  }

  #forget(sessionId: string, uri: string): void {
    const byUri = this.#bySession.get(sessionId)?.byUri;
    byUri?.delete(uri);
    if (byUri?.size === 0) this.#bySession.delete(sessionId);
  }

  drop(sessionId: string): void {
    const watching = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    for (const own of watching?.byUri.values() ?? []) endOne(own);
    watching?.byUri.clear();
  }

  /** Another process reports a change. @returns false if the session does not watch the resource here */
  updated(sessionId: string, uri: string): boolean {
    const own = this.#bySession.get(sessionId)?.byUri.get(uri);
    if (own !== undefined) this.#updated(sessionId, uri, own);
    return own !== undefined;
  }

  has(sessionId: string, uri: string): boolean {
    return this.#bySession.get(sessionId)?.byUri.has(uri) === true;
  }

  /** @returns the sessions that could not receive notifications for `subscriptionIdleMs` */
  unreachable(canReach: (sessionId: string) => boolean): readonly string[] {
    const now = performance.now();
    const { subscriptionIdleMs } = this.#limits();
    return [...this.#bySession].flatMap(([id, watching]) => {
      const isReachable = canReach(id);
      if (isReachable) watching.reachableAt = now;
      return !isReachable && now - watching.reachableAt > subscriptionIdleMs ? id : [];
    });
  }

  stop(): void {
    for (const id of [...this.#bySession.keys()]) this.drop(id);
  }

  #updated(sessionId: string, uri: string, own: Subscription): void {
    own.isDue = true;
    if (own.timer !== undefined) return;
    const collectMs = this.#collectMs(sessionId);
    if (collectMs === 0) this.#send(sessionId, uri, own);
    else this.#tellLater(sessionId, uri, { own, ms: collectMs });
  }

  #send(sessionId: string, uri: string, own: Subscription): void {
    own.timer = undefined;
    if (!own.isDue) return;
    own.isDue = false;
    this.#tell(sessionId, uri);
    this.#tellLater(sessionId, uri, { own, ms: this.#limits().listChangedMs });
  }

  #tellLater(
    sessionId: string,
    uri: string,
    { own, ms }: { readonly own: Subscription; readonly ms: number },
  ): void {
    own.timer = setTimeout(() => this.#send(sessionId, uri, own), ms);
    own.timer.unref();
  }
}

function watchingNothing(): Watching {
  return { byUri: new Map(), reachableAt: performance.now() };
}
function endOne({ end, timer }: Subscription): void {
  clearTimeout(timer);
  end?.();
}
