import type { Limit } from './config.ts';

const MINUTE_MS = 60_000;

/** The use of one limit: a token bucket, and the number of running calls. */
export class Meter {
  /** When the bucket is full again, in ms: the only state of a rate (generic cell rate algorithm). */
  #fullAt = 0;
  running = 0;

  /** @returns ms until the bucket holds `tokens`, of which a call takes one; 0 for now, Infinity for never
   *  @param sharers number of callers that share the limit; each gets that fraction of rate and burst, at least one call */
  waitMs({ callsPerMinute, burst }: Limit, now: number, sharers = 1, tokens = 1): number {
    if (callsPerMinute === 0) return 0;
    const intervalMs = (MINUTE_MS / callsPerMinute) * sharers;
    const size = Math.max(burst / sharers, 1);
    return tokens > size ? Infinity : Math.max(this.#fullAt - now - (size - tokens) * intervalMs, 0);
  }

  /** Whether the maximum of running calls, less `free`, is reached. */
  isBusy({ concurrent }: Limit, sharers = 1, free = 0): boolean {
    return concurrent > 0 && this.running >= Math.max(Math.floor(concurrent / sharers), 1) - free;
  }

  /** Counts an admitted call. */
  take({ callsPerMinute, burst }: Limit, now: number, sharers = 1): void {
    this.running += 1;
    if (callsPerMinute === 0) return;
    const intervalMs = (MINUTE_MS / callsPerMinute) * sharers;
    // After a limit was lowered live, a caller must not wait longer than a full burst takes to refill.
    const from = Math.min(Math.max(this.#fullAt, now), now + burst * intervalMs);
    this.#fullAt = from + intervalMs;
  }

  release(): void {
    this.running -= 1;
  }
}
