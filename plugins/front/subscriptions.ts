import { GatewayError } from 'pegboard';
import { LRUCache } from 'lru-cache';

export interface SubscriptionParts {
  readonly maxSessions: number;
  readonly limits: () => { readonly maxSubscriptions: number; readonly listChangedMs: number };
  readonly tell: (sessionId: string, uri: string) => void;
}
/** Sends `notifications/resources/updated` at most once in the waiting time, the last change included. */
interface Subscription {
  end: (() => void) | undefined;
  timer: NodeJS.Timeout | undefined;
  isDue: boolean;
}
type ByUri = Map<string, Subscription>;

/** The resources that sessions watch. */
export class Subscriptions {
  readonly #parts: SubscriptionParts;
  readonly #bySession: LRUCache<string, ByUri>;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
    this.#bySession = new LRUCache({ max: parts.maxSessions, dispose: (watched) => endAll(watched) });
  }

  /** What is watched already begins anew: the server it was asked of may be another one by now.
   *  @param begin subscribes at the source
   *  @throws GatewayError REQUEST_FORBIDDEN over the limit, and what `begin` throws */
  async add(
    sessionId: string,
    uri: string,
    begin: (updated: () => void) => Promise<() => void>,
  ): Promise<void> {
    const watched = this.#bySession.get(sessionId) ?? new Map<string, Subscription>();
    const former = watched.get(uri);
    const { maxSubscriptions } = this.#parts.limits();
    if (former === undefined && watched.size >= maxSubscriptions) {
      const text = `a session may watch ${maxSubscriptions} resources; unsubscribe from one first`;
      throw new GatewayError('REQUEST_FORBIDDEN', text);
    }
    const own: Subscription = { end: undefined, timer: undefined, isDue: false };
    watched.set(uri, own);
    this.#bySession.set(sessionId, watched);
    try {
      own.end = await begin(() => this.#updated(sessionId, uri, own));
    } catch (error) {
      if (watched.get(uri) === own) watched.delete(uri);
      throw error;
    } finally {
      if (former !== undefined) endOne(former);
    }
    if (this.#bySession.get(sessionId)?.get(uri) !== own) own.end();
  }

  remove(sessionId: string, uri: string): void {
    const watched = this.#bySession.get(sessionId);
    const own = watched?.get(uri);
    if (watched === undefined || own === undefined) return;
    watched.delete(uri);
    endOne(own);
    if (watched.size === 0) this.#bySession.delete(sessionId);
  }

  drop(sessionId: string): void {
    this.#bySession.delete(sessionId);
  }

  stop(): void {
    this.#bySession.clear();
  }

  #updated(sessionId: string, uri: string, own: Subscription): void {
    own.isDue = true;
    if (own.timer === undefined) this.#tell(sessionId, uri, own);
  }

  #tell(sessionId: string, uri: string, own: Subscription): void {
    own.timer = undefined;
    if (!own.isDue) return;
    own.isDue = false;
    this.#parts.tell(sessionId, uri);
    const { listChangedMs } = this.#parts.limits();
    own.timer = setTimeout(() => this.#tell(sessionId, uri, own), listChangedMs);
    own.timer.unref();
  }
}

function endAll(watched: ByUri): void {
  for (const own of watched.values()) endOne(own);
  watched.clear();
}
function endOne({ end, timer }: Subscription): void {
  clearTimeout(timer);
  end?.();
}
