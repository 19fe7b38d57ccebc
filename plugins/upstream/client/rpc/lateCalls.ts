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
  /** How many have had no answer, however long ago they were given up. */
  #unanswered = 0;

  constructor(limits: () => LateLimits) {
    this.#limits = limits;
  }

  add(id: number, client: Client | undefined): void {
    const { lateMs, maxLateCalls } = this.#limits();
    const since = performance.now();
    const until = since + lateMs;
    this.#unanswered += 1;
    this.#forgetOld();
    if (this.#byId.size < maxLateCalls) this.#byId.set(id, { client, since, until });
    else this.#unsure = { client: undefined, since, until };
  }

  /** The server has answered: it sends no more messages about the call. @returns whether it may be the answer of an abandoned call */
  answered(id: number): boolean {
    this.#byId.delete(id);
    if (this.#unanswered === 0) return false;
    this.#unanswered -= 1;
    return true;
  }
  clear(): void {
    this.#unanswered = 0;
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
