import { messageOf } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { digest } from '../../kit/secrets/secrets.ts';
import { SharedTable } from '../../kit/vault/sharedTable.ts';
import type { Session } from '../../contracts/sessions.ts';
import type { FrontConfig } from '../config.ts';
import type { Outlets } from './outlets.ts';
import type { Subscriptions } from './subscriptions.ts';
import { watch } from './uriWatch.ts';

interface Watched extends JsonObject {
  readonly sessionId: string;
  readonly uri: string;
}

/** The resources that each session watches, known to all processes. Each process has servers of its own, so two subscribe: the
 *  one that received the request, and the one that has the session's stream, which continues if the first one ends. */
export class WatchedResources {
  readonly #scope: Scope<FrontConfig>;
  readonly #subscriptions: Subscriptions;
  readonly #outlets: Outlets;
  readonly #table: SharedTable<Watched>;

  constructor(scope: Scope<FrontConfig>, subscriptions: Subscriptions, outlets: Outlets) {
    this.#scope = scope;
    this.#subscriptions = subscriptions;
    this.#outlets = outlets;
    this.#table = new SharedTable<Watched>(scope, {
      name: 'watched',
      max: () => Infinity,
      added: (_, watched) => void this.#resume(watched),
      removed: (_, { sessionId, uri }) => subscriptions.remove(sessionId, uri),
      lease: {
        isHeld: (_, { sessionId }) => outlets.has(sessionId),
        ttlSeconds: () => this.#ttlSeconds,
      },
    });
  }

  get isShared(): boolean {
    return this.#table.isShared;
  }

  /** @throws GatewayError REQUEST_FORBIDDEN over a limit, RESOURCE_NOT_FOUND, STORE_UNREACHABLE */
  async add(session: Session, uri: string, request: InboundRequest): Promise<void> {
    const sessionId = session.id;
    await this.#begin(uri, session, request);
    try {
      await this.#table.set(keyOf(sessionId, uri), { sessionId, uri }, this.#ttlSeconds);
    } catch (error) {
      this.#subscriptions.remove(sessionId, uri);
      throw error;
    }
  }

  remove(sessionId: string, uri: string): void {
    this.#subscriptions.remove(sessionId, uri);
    this.#table.delete(keyOf(sessionId, uri));
  }

  drop(sessionId: string): void {
    for (const { uri } of this.#of(sessionId)) this.remove(sessionId, uri);
    this.#subscriptions.drop(sessionId);
  }

  /** The session's stream is here from now on. @param hasMissed the client has missed messages */
  attached(sessionId: string, hasMissed: boolean, updated: (uri: string) => void): void {
    for (const watched of this.#of(sessionId)) {
      void this.#resume(watched);
      if (hasMissed) updated(watched.uri);
    }
  }

  /** Tries again what could not be watched, because its server was away. */
  retry(): void {
    for (const [, watched] of this.#table.entries) void this.#resume(watched);
  }

  /** Ends what no client can receive. */
  sweep(): void {
    if (this.#table.isShared) void this.#table.renew();
    else for (const id of this.#subscriptions.unreachable((id) => this.#outlets.has(id))) this.drop(id);
  }

  /** A subscription ends after so long without a stream. */
  get #ttlSeconds(): number {
    const { subscriptionIdleMs, sweepMs } = this.#scope.config;
    return (subscriptionIdleMs + sweepMs) / 1_000;
  }

  #of(sessionId: string): readonly Watched[] {
    return [...this.#table.entries]
      .map(([, watched]) => watched)
      .filter((one) => one.sessionId === sessionId);
  }

  async #resume({ sessionId, uri }: Watched): Promise<void> {
    const attached = this.#outlets.of(sessionId);
    if (attached === undefined || this.#subscriptions.has(sessionId, uri)) return;
    try {
      await this.#begin(uri, attached.session, attached.outlet.request);
    } catch (error) {
      this.#scope.log.debug('resource not watched', { uri, error: messageOf(error) });
    }
  }

  #begin(uri: string, client: Session, request: InboundRequest): Promise<void> {
    return this.#subscriptions.add(client.id, uri, (updated) =>
      watch(this.#scope, { uri, request, updated, client }),
    );
  }
}

/** A uri may be longer than a key, and Redis shows keys. */
function keyOf(sessionId: string, uri: string): string {
  return `${sessionId}:${digest(uri)}`;
}
