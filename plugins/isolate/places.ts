import type { Socket } from 'node:net';

/** Places for the connections of all servers, of which each may have as many as are left to the others. */
export class Places {
  readonly #most: () => number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(most: () => number) {
    this.#most = most;
  }

  /** Takes a place. @returns what gives it back, once; undefined if there is none for this server */
  take(server: string): (() => void) | undefined {
    const own = this.#taken.get(server) ?? 0;
    if (own >= this.#most() - this.#all) return undefined;
    this.#add(server, 1);
    let isGiven = false;
    return () => {
      if (!isGiven) this.#add(server, -1);
      isGiven = true;
    };
  }

  #add(server: string, count: 1 | -1): void {
    const own = (this.#taken.get(server) ?? 0) + count;
    if (own === 0) this.#taken.delete(server);
    else this.#taken.set(server, own);
    this.#all += count;
  }
}

/** The connections of one proxy. A tunnel whose far side still takes what was sent keeps its place after its client has left. */
export class HeldPlaces {
  readonly #most: number;
  readonly #take: () => (() => void) | undefined;
  /** What gives back the place of a connection. */
  readonly #leaves = new WeakMap<Socket, () => void>();
  #count = 0;

  /** @param most of this proxy @param take takes a place of those of all */
  constructor(most: number, take: () => (() => void) | undefined) {
    this.#most = most;
    this.#take = take;
  }

  /** Whether there is a place for a connection, which it has until it is closed. */
  enter(near: Socket): boolean {
    const leave = this.#count < this.#most ? this.#take() : undefined;
    if (leave === undefined) return false;
    this.#count += 1;
    this.#leaves.set(near, () => {
      this.#count -= 1;
      leave();
    });
    near.once('close', () => this.#leave(near));
    return true;
  }

  /** Keeps the place until the far side of a tunnel is closed, too. */
  keep(near: Socket, far: Socket): void {
    const leave = this.#leaves.get(near);
    this.#leaves.delete(near);
    let open = 2;
    const whenBoth = (): void => {
      open -= 1;
      if (open === 0) leave?.();
    };
    near.once('close', whenBoth);
    far.once('close', whenBoth);
  }

  #leave(near: Socket): void {
    this.#leaves.get(near)?.();
    this.#leaves.delete(near);
  }
}
