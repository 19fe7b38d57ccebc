import type { LRUCache } from 'lru-cache';
import { recentlyUsed } from '../limits/recentlyUsed.ts';

const MAX_KEYS = 10_000;

/** A limit of requests of each address (or client, or person) in each window of time. */
export class RateLimit {
  readonly #max: () => number;
  readonly #windowS: number;
  readonly #counts: LRUCache<string, { count: number }>;

  /** @param max in each window */
  constructor(max: () => number, windowS: number) {
    this.#max = max;
    this.#windowS = windowS;
    this.#counts = recentlyUsed(MAX_KEYS, windowS * 1_000);
  }

  /** Counts one more. @returns whether the limit admits it */
  admits(key: string): boolean {
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { count: 1 });
    else known.count += 1;
    return known === undefined || known.count <= this.#max();
  }

  /** Begins the count of that key anew. */
  reset(key: string): void {
    this.#counts.delete(key);
  }

  /** The value of a `Retry-After` header: whole seconds until the window of that key ends, 1 at least. */
  secondsLeft(key: string): number {
    const leftMs = this.#counts.getRemainingTTL(key);
    return Math.max(1, Math.min(this.#windowS, Math.ceil(leftMs / 1_000)));
  }
}
