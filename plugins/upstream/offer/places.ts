/** In which order servers have claimed each name. A server keeps its place at a name until it is released, even while it does
 *  not list the name, as long as another one does. */
export class Places {
  /** Server → name → number of the update in which it came; the lower the earlier. */
  readonly #placesByServer = new Map<string, Map<string, number>>();
  #updates = 0;

  /** The server claims these names; where it has no place yet, it comes last. */
  take(server: string, names: Iterable<string>): void {
    const places = this.#placesByServer.get(server) ?? new Map<string, number>();
    this.#placesByServer.set(server, places);
    this.#updates += 1;
    for (const name of names) if (!places.has(name)) places.set(name, this.#updates);
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
  }
}
