import { GatewayError } from 'pegboard';
import { canonicalUri } from './canonicalUri.ts';

/** The listeners of one resource, and the pending or settled subscription. */
interface Watched {
  readonly listeners: Set<() => void>;
  readonly begun: Promise<unknown>;
}

/** Subscriptions to one server's resources: one for any number of listeners, and over any number of connections. */
export class Watches {
  readonly #begin: (uri: string) => Promise<unknown>;
  readonly #end: (uri: string) => void;
  readonly #watchedByUri = new Map<string, Watched>();

  /** @param begin subscribes to a resource
   *  @param end called when a resource has no listener any more */
  constructor(begin: (uri: string) => Promise<unknown>, end: (uri: string) => void) {
    this.#begin = begin;
    this.#end = end;
  }

  get isEmpty(): boolean {
    return this.#watchedByUri.size === 0;
  }
  get uris(): readonly string[] {
    return [...this.#watchedByUri.keys()];
  }

  /** @param uri the server's own @returns the function that unsubscribes @throws GatewayError UPSTREAM_* */
  async add(uri: string, updated: () => void): Promise<() => void> {
    const watched = this.#watchedByUri.get(uri) ?? this.#beginNew(uri);
    const end = this.#listen(uri, watched, updated);
    try {
      await watched.begun;
    } catch (error) {
      if (this.#watchedByUri.get(uri) === watched) this.#watchedByUri.delete(uri);
      throw error;
    }
    return end;
  }

  /** Takes over a subscription that was granted before: nothing is begun. @returns as add() */
  again(uri: string, updated: () => void): () => void {
    const watched = this.#watchedByUri.get(uri) ?? this.#keep(uri, Promise.resolve());
    return this.#listen(uri, watched, updated);
  }

  #beginNew(uri: string): Watched {
    return this.#keep(uri, this.#begin(uri));
  }

  #keep(uri: string, begun: Promise<unknown>): Watched {
    const watched = { listeners: new Set<() => void>(), begun };
    this.#watchedByUri.set(uri, watched);
    return watched;
  }

  #listen(uri: string, watched: Watched, updated: () => void): () => void {
    const { listeners } = watched;
    const listener = (): void => updated();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#watchedByUri.get(uri) !== watched) return;
      this.#watchedByUri.delete(uri);
      this.#end(uri);
    };
  }

  /** @param uri from the server's notification: the subscribed uri, or one below it */
  updated(uri: unknown): void {
    if (typeof uri !== 'string' || this.isEmpty) return;
    const given = canonicalUri(uri);
    for (const [watched, { listeners }] of this.#watchedByUri) {
      const known = canonicalUri(watched);
      if (given === known || given.startsWith(`${known}/`)) for (const listener of listeners) listener();
    }
  }

  /** Notifications were lost. */
  missed(): void {
    for (const { listeners } of this.#watchedByUri.values()) for (const listener of listeners) listener();
  }
}

export function notWatchable(server: string, uri: string): GatewayError {
  const text = `resource ${uri} cannot be subscribed to: server ${server} does not offer subscriptions; read it again instead`;
  return new GatewayError('UPSTREAM_ERROR', text, { details: { server, code: -32601 } });
}
