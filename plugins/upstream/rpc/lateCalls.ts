export interface LateLimits {
  readonly lateMs: number;
  readonly maxLateCalls: number;
}
interface LateCall {
  readonly clientId: string | undefined;
  readonly until: number;
}

/** Calls that were given up and have no answer: their server may still speak of them. */
export class LateCalls {
  readonly #limits: () => LateLimits;
  readonly #byId = new Map<number, LateCall>();
  /** More were given up than are kept; until then nothing is certain. */
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

  /** Nothing more comes of it. */
  answered(id: number): void {
    this.#byId.delete(id);
  }
  clear(): void {
    this.#byId.clear();
    this.#unsureUntil = 0;
  }

  /** Ids of the clients behind them; undefined stands for one that is not known. */
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
