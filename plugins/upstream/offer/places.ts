import type { LatePlaces } from '../connection/lastKnown.ts';

/** The order in which servers have claimed each name. A server keeps its place at a name until it is released, even while it does
 *  not list the name, as long as another one does. */
export class Places {
  /** Server → name → when it came, about ms since the epoch; the lower the earlier. */
  readonly #placesByServer = new Map<string, Map<string, number>>();
  /** Late names with their places, of servers whose last known lists are about to be claimed. */
  readonly #recalledByServer = new Map<string, ReadonlyMap<string, number>>();
  #latest = 0;

  /** The server claims these names; where it has no place yet, it comes last. */
  take(server: string, names: Iterable<string>): void {
    const places = this.#placesByServer.get(server) ?? new Map<string, number>();
    this.#placesByServer.set(server, places);
    const recalled = this.#recalledByServer.get(server);
    this.#recalledByServer.delete(server);
    // Two updates of one millisecond have an order as well.
    this.#latest = Math.max(this.#latest + 1, Date.now());
    for (const name of names)
      if (!places.has(name))
        places.set(name, recalled === undefined ? this.#latest : (recalled.get(name) ?? 0));
  }

  /** The next names that the server takes are those of its last known lists. @param late where it was not the first */
  recall(server: string, late: LatePlaces): void {
    this.#recalledByServer.set(server, new Map(late));
  }

  /** The place of a server at a name; Infinity without one. */
  of(name: string, server: string): number {
    return this.#placesByServer.get(server)?.get(name) ?? Infinity;
  }

  /** No server claims the name. */
  forget(name: string): void {
    for (const places of this.#placesByServer.values()) places.delete(name);
  }

  /** The server has ended: it comes last where it returns. */
  release(server: string): void {
    this.#placesByServer.delete(server);
    this.#recalledByServer.delete(server);
  }
}
