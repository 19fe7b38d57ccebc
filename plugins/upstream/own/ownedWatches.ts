import { isGatewayError } from 'pegboard';
import type { Client, InboundRequest, Log } from 'pegboard';
import { runFor } from './runFor.ts';
import type { GrantedWatch, Watchable } from '../connection/serverCalls.ts';

/** A client, as far as the connection to a server depends on it. */
export type Declaring = Pick<Client, 'capabilities'>;
/** The request and the client that a subscription belongs to. */
export interface WatchOwner {
  readonly request: InboundRequest;
  readonly client: Declaring | undefined;
}
/** A server whose resources are watched. */
export interface WatchedServer {
  readonly name: string;
  /** False after a stop. */
  readonly isWanted: boolean;
  callsFor(request: InboundRequest, client: Declaring | undefined): Watchable;
  secretsChanged?(): Promise<boolean>;
}
interface Owned extends WatchOwner {
  readonly uri: string;
  readonly updated: () => void;
  /** Owner of the credential of its connection; undefined without one. */
  owner: string | undefined;
  watch: GrantedWatch;
}

/** The subscriptions to one server's resources. A connection has them as long as it exists, and the one that its owner has next
 *  must have them too. */
export class OwnedWatches {
  readonly #log: Log;
  readonly #server: WatchedServer;
  readonly #byOwner = new Map<string | undefined, Set<Owned>>();

  constructor(log: Log, server: WatchedServer) {
    this.#log = log;
    this.#server = server;
  }

  /** @param uri the server's own @returns the function that unsubscribes @throws GatewayError UPSTREAM_* */
  async add({ request, client }: WatchOwner, uri: string, updated: () => void): Promise<() => void> {
    const { owner, watch } = await runFor(this.#server, { request, client }, async (connection) => ({
      owner: connection.owner,
      watch: await connection.watch(uri, updated),
    }));
    const owned: Owned = { request, client, uri, updated, owner, watch };
    this.#keep(owned);
    // Its owner may have another connection since it was granted.
    this.#follow(owned);
    return () => {
      this.#drop(owned);
      owned.watch.end();
    };
  }

  /** Owners may have other connections than before; those of a server that is stopped follow when it starts.
   *  @param owner of a credential, who has another connection now; absent: all */
  follow(owner?: string): void {
    if (!this.#server.isWanted) return;
    const some = owner === undefined ? [...this.#byOwner.values()] : [this.#byOwner.get(owner) ?? []];
    for (const owned of some.flatMap((all) => [...all])) this.#follow(owned);
  }

  #follow(owned: Owned): void {
    const { request, client, uri, updated } = owned;
    try {
      const next = this.#server.callsFor(request, client);
      const place = next.conversation;
      const { watch } = owned;
      if (place === watch.place) return;
      owned.watch = { place, end: place.watchAgain(uri, updated) };
      watch.end();
      this.#drop(owned);
      owned.owner = next.owner;
      this.#keep(owned);
      // An idle one would notice no change.
      void next.start();
    } catch (error) {
      // After a sign-out, the next sign-in continues it.
      const level = isGatewayError(error) && error.code === 'UPSTREAM_AUTH_REQUIRED' ? 'info' : 'warn';
      this.#log[level]('a subscription to a resource is lost until it is made again', {
        server: this.#server.name,
        uri,
        error,
      });
    }
  }

  #keep(owned: Owned): void {
    const all = this.#byOwner.get(owned.owner) ?? new Set();
    this.#byOwner.set(owned.owner, all.add(owned));
  }

  #drop(owned: Owned): void {
    const all = this.#byOwner.get(owned.owner);
    all?.delete(owned);
    if (all?.size === 0) this.#byOwner.delete(owned.owner);
  }
}
