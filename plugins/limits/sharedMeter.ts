import type { Limit } from './config.ts';
import { Meter } from './meter.ts';
import { Meters } from './meters.ts';

/** A caller has a share if it called within this time, or within the time in which each sharer earns one call. */
const MEMORY_MS = 2_000;
const MINUTE_MS = 60_000;

class Share extends Meter {
  usedAt = 0;
}

/** A limit that several callers share: a caller that uses more than its equal part waits for the others. */
export class SharedMeter extends Meter {
  readonly #shares = new Meters(() => new Share());

  /** The share of `sharer`, which is calling now. */
  shareOf(sharer: string, limit: Limit, { now, max }: { readonly now: number; readonly max: number }): Share {
    const earnMs = limit.callsPerMinute === 0 ? 0 : MINUTE_MS / limit.callsPerMinute;
    const since = now - Math.max(MEMORY_MS, earnMs * (this.#shares.size + 1));
    this.#shares.drop(({ usedAt }) => usedAt < since);
    const share = this.#shares.use(sharer, max);
    share.usedAt = now;
    return share;
  }

  /** Number of callers with a share. */
  get sharers(): number {
    return this.#shares.size;
  }
}
