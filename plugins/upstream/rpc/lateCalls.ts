export interface LateLimits {
  readonly lateMs: number;
  readonly maxLateCalls: number;
}
interface LateCall {
  readonly clientId: string | undefined;
  readonly until: number;
}

/** Abandoned calls without an answer: their server may still send messages about them. */
export class LateCalls {
  readonly #limits: () => LateLimits;
  readonly #byId = new Map<number, LateCall>();
  /** Set if more calls were abandoned than are kept: until then the client of a message is uncertain. */
  #unsureUntil = 0;

  constructor(limits: () => LateLimits) {
    this.#limits = limits;
  }

  add(id: number, clientId: string | undefined): void {
    const { lateMs, maxLateCalls } = this.#limits();
    const until = performance.now() + lateMs;
    this.#forgetOld();
    if (this.#byId.size < maxLateCalls) this.#byId.set(id, { clientId, until });
    else this.#unsureUntil = until;
  }

  /** The server has answered: it sends no more messages about the call. */
  answered(id: number): void {
    this.#byId.delete(id);
  }
  clear(): void {
    this.#byId.clear();
    this.#unsureUntil = 0;
  }

  /** Ids of the clients that made these calls; undefined for an unknown client. */
  clients(): readonly (string | undefined)[] {
    this.#forgetOld();
    const known = [...this.#byId.values()].map(({ clientId }) => clientId);
    return performance.now() < this.#unsureUntil ? [...known, undefined] : known;
  }

  #forgetOld(): void {
    const now = performance.now();
    for (const [id, { until }] of this.#byId) {
      if (until > now) return;
      this.#byId.delete(id);
    }
  }
}
