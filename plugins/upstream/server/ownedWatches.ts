import type { Client, InboundRequest, Log } from 'pegboard';

/** A client, as far as the connection to a server depends on it. */
export type Declaring = Pick<Client, 'capabilities'>;
/** Whose subscription it is. */
export interface WatchOwner {
  readonly request: InboundRequest;
  readonly client: Declaring | undefined;
}
/** A connection to a server, as those see it who watch its resources. */
export interface Watchable {
  /** @param uri the server's own @returns the function that unsubscribes @throws GatewayError UPSTREAM_* */
  watch(uri: string, updated: () => void): Promise<() => void>;
  readonly conversation: {
    /** Watches what another connection was granted. @returns the function that unsubscribes */
    watchAgain(uri: string, updated: () => void): () => void;
  };
  start(): Promise<void>;
}
export interface OwnedWatchesParts {
  readonly server: string;
  readonly log: Log;
  /** The shared connection of the server, which knows those of the owners. */
  readonly shared: () => {
    /** False after a stop. */
    readonly isWanted: boolean;
    for(request: InboundRequest, client: Declaring | undefined): Watchable;
  };
}
interface Owned extends WatchOwner {
  readonly uri: string;
  readonly updated: () => void;
  connection: Watchable;
  end: () => void;
}

/** The subscriptions to one server's resources. A connection has them as long as it exists, and the one that its owner has next
 *  must have them too. */
export class OwnedWatches {
  readonly #parts: OwnedWatchesParts;
  readonly #all = new Set<Owned>();

  constructor(parts: OwnedWatchesParts) {
    this.#parts = parts;
  }

  /** @param uri the server's own @returns the function that unsubscribes @throws GatewayError UPSTREAM_* */
  async add({ request, client }: WatchOwner, uri: string, updated: () => void): Promise<() => void> {
    const connection = this.#parts.shared().for(request, client);
    const end = await connection.watch(uri, updated);
    const owned: Owned = { request, client, uri, updated, connection, end };
    this.#all.add(owned);
    return () => {
      this.#all.delete(owned);
      owned.end();
    };
  }

  /** Owners may have other connections than before; those of a server that is stopped follow when it starts. */
  follow(): void {
    if (!this.#parts.shared().isWanted) return;
    for (const owned of this.#all) this.#follow(owned);
  }

  #follow(owned: Owned): void {
    const { request, client, uri, updated, end } = owned;
    const { server, log, shared } = this.#parts;
    try {
      const next = shared().for(request, client);
      if (next === owned.connection) return;
      owned.connection = next;
      owned.end = next.conversation.watchAgain(uri, updated);
      end();
      // An idle one would notice no change.
      void next.start();
    } catch (error) {
      log.warn('a subscription to a resource is lost until it is made again', { server, uri, error });
    }
  }
}
