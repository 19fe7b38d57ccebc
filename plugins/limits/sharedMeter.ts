import type { Limit } from './config.ts';
import { Meter } from './meter.ts';
import { Meters } from './meters.ts';

/** Whoever asked within this time has a part in the limit, unless one call takes longer to earn. */
const MEMORY_MS = 2_000;
const MINUTE_MS = 60_000;

class Share extends Meter {
  usedAt = 0;
}

/** A limit that several callers draw on: whoever asks for more than an equal part waits for the others. */
export class SharedMeter extends Meter {
  readonly #shares = new Meters(() => new Share());

  /** The part of `sharer`, who is asking now. */
  shareOf(sharer: string, limit: Limit, { now, max }: { readonly now: number; readonly max: number }): Share {
    const earnMs = limit.callsPerMinute === 0 ? 0 : MINUTE_MS / limit.callsPerMinute;
    const since = now - Math.max(MEMORY_MS, earnMs * (this.#shares.size + 1));
    this.#shares.drop(({ usedAt }) => usedAt < since);
    const share = this.#shares.use(sharer, max);
    share.usedAt = now;
    return share;
  }

  /** How many have a part in it. */
  get sharers(): number {
    return this.#shares.size;
  }
}
