import type { Client } from 'pegboard';

export interface LateLimits {
  readonly lateMs: number;
  readonly maxLateCalls: number;
}
/** A call that was given up, and that its server may still run. Times as of performance.now(). */
export interface LateCall {
  /** Undefined if it is not known. */
  readonly client: Client | undefined;
  readonly since: number;
  readonly until: number;
}

/** Abandoned calls without an answer: their server may still send messages about them. */
export class LateCalls {
  readonly #limits: () => LateLimits;
  readonly #byId = new Map<number, LateCall>();
  /** The last of those that are not kept because there are more than `maxLateCalls`. */
  #unsure: LateCall | undefined;

  constructor(limits: () => LateLimits) {
    this.#limits = limits;
  }

  add(id: number, client: Client | undefined): void {
    const { lateMs, maxLateCalls } = this.#limits();
    const since = performance.now();
    const until = since + lateMs;
    this.#forgetOld();
    if (this.#byId.size < maxLateCalls) this.#byId.set(id, { client, since, until });
    else this.#unsure = { client: undefined, since, until };
  }

  /** The server has answered: it sends no more messages about the call. */
  answered(id: number): void {
    this.#byId.delete(id);
  }
  clear(): void {
    this.#byId.clear();
    this.#unsure = undefined;
  }

  /** The oldest first. */
  calls(): readonly LateCall[] {
    this.#forgetOld();
    const known = [...this.#byId.values()];
    return this.#unsure === undefined ? known : [...known, this.#unsure];
  }

  #forgetOld(): void {
    const now = performance.now();
    if (this.#unsure !== undefined && this.#unsure.until <= now) this.#unsure = undefined;
    for (const [id, { until }] of this.#byId) {
      if (until > now) return;
      this.#byId.delete(id);
    }
  }
}
