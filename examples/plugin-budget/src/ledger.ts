import { GatewayError } from 'pegboard';
import type { Budget } from './contract.js';

const DAY_MS = 86_400_000;

export interface LedgerParts {
  /** Calls per day. */
  readonly limit: () => number;
  /** Called when a caller has made its last call of the day. */
  readonly spent: (key: string) => void;
}

/** Counts the calls of the current UTC day by caller, in memory. */
export class Ledger implements Budget {
  readonly #parts: LedgerParts;
  #day = 0;
  #madeByKey = new Map<string, number>();

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  spend(key: string): void {
    this.#turnPage();
    const limit = this.#parts.limit();
    const made = this.#madeByKey.get(key) ?? 0;
    if (made >= limit) {
      const retryAfter = Math.ceil(((this.#day + 1) * DAY_MS - Date.now()) / 1_000);
      const text = `the budget of ${limit} calls a day is spent; try again in ${retryAfter} s`;
      throw new GatewayError('BUDGET_SPENT', text, { details: { limit, retryAfter } });
    }
    this.#madeByKey.set(key, made + 1);
    if (made + 1 === limit) this.#parts.spent(key);
  }

  left(key: string): number {
    this.#turnPage();
    const made = this.#madeByKey.get(key);
    if (made === undefined)
      throw new GatewayError('BUDGET_UNKNOWN', `no call was made today by ${key}; check the key`);
    return Math.max(0, this.#parts.limit() - made);
  }

  #turnPage(): void {
    const today = Math.floor(Date.now() / DAY_MS);
    if (today === this.#day) return;
    this.#day = today;
    this.#madeByKey = new Map();
  }
}
