import { resolveHost } from 'pegboard/net';

/** Names that are resolved at a time. The system resolves two for the whole gateway; the rest wait. */
const MAX_AT_A_TIME = 2;
/** A server whose name took longer shares one turn with all that are slow, so that the others have one. */
const SLOW_MS = 1_000;
const SLOW_FOR_MS = 60_000;

type Work = () => Promise<void>;

/** Finds addresses as the system does: of each server one name at a time, servers in turn, and slow ones behind each other. */
export class Lookups {
  /** What waits, by server in the order of their turns. */
  readonly #waiting = new Map<string, Work[]>();
  /** When the lookup of a server began. */
  readonly #active = new Map<string, number>();
  /** When a server ceases to count as slow. */
  readonly #slowUntil = new Map<string, number>();
  readonly #find: typeof resolveHost;

  constructor(find: typeof resolveHost = resolveHost) {
    this.#find = find;
  }

  /** @param signal of the proxy that asks; nothing is looked up after it @throws Error if the name cannot be resolved */
  resolve(server: string, host: string, signal: AbortSignal): Promise<readonly string[]> {
    return new Promise((resolve) => {
      const work = async (): Promise<void> => {
        const found = signal.aborted ? Promise.reject(new Error('its proxy has ended')) : this.#find(host);
        resolve(found);
        await found.catch(() => undefined);
      };
      this.#waiting.set(server, [...(this.#waiting.get(server) ?? []), work]);
      this.#go();
    });
  }

  #go(): void {
    while (this.#active.size < MAX_AT_A_TIME) {
      const isTaken = [...this.#active.keys()].some((server) => this.#isSlow(server));
      const turn = [...this.#waiting].find(
        ([server]) => !this.#active.has(server) && !(isTaken && this.#isSlow(server)),
      );
      if (turn === undefined) return;
      const [server, [work, ...rest]] = turn;
      this.#waiting.delete(server);
      if (rest.length > 0) this.#waiting.set(server, rest);
      if (work !== undefined) void this.#run(server, work);
    }
  }

  async #run(server: string, work: Work): Promise<void> {
    const begun = performance.now();
    this.#active.set(server, begun);
    await work();
    this.#active.delete(server);
    const now = performance.now();
    if (now - begun > SLOW_MS) this.#slowUntil.set(server, now + SLOW_FOR_MS);
    this.#go();
  }

  #isSlow(server: string): boolean {
    const now = performance.now();
    const until = this.#slowUntil.get(server) ?? 0;
    if (until <= now) this.#slowUntil.delete(server);
    return until > now || now - (this.#active.get(server) ?? now) > SLOW_MS;
  }
}
