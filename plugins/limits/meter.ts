import type { Limit } from './config.ts';

const MINUTE_MS = 60_000;

/** How far one thing has used up its limit: a bucket that fills with time, and a count of what runs. */
export class Meter {
  /** When the bucket is full again, in ms; the one number that a rate needs (generic cell rate algorithm). */
  #fullAt = 0;
  running = 0;

  /** @returns ms until the bucket holds `tokens`, of which a call takes one; 0 for now, Infinity for never
   *  @param sharers who has a part in the limit; each gets that fraction of rate and burst, at least one call */
  waitMs({ callsPerMinute, burst }: Limit, now: number, sharers = 1, tokens = 1): number {
    if (callsPerMinute === 0) return 0;
    const intervalMs = (MINUTE_MS / callsPerMinute) * sharers;
    const size = Math.max(burst / sharers, 1);
    return tokens > size ? Infinity : Math.max(this.#fullAt - now - (size - tokens) * intervalMs, 0);
  }

  /** Whether as many run as may, less `free` of them. */
  isBusy({ concurrent }: Limit, sharers = 1, free = 0): boolean {
    return concurrent > 0 && this.running >= Math.max(Math.floor(concurrent / sharers), 1) - free;
  }

  /** Counts a call that was let in. */
  take({ callsPerMinute, burst }: Limit, now: number, sharers = 1): void {
    this.running += 1;
    if (callsPerMinute === 0) return;
    const intervalMs = (MINUTE_MS / callsPerMinute) * sharers;
    // A limit that was lowered live must not lock out for longer than its own burst takes to refill.
    const from = Math.min(Math.max(this.#fullAt, now), now + burst * intervalMs);
    this.#fullAt = from + intervalMs;
  }

  release(): void {
    this.running -= 1;
  }
}
