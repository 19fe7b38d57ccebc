/** A token for a server, and until when it is sent. */
export interface HeldToken {
  readonly token: string;
  /** Time in ms since 1970, as is the next. */
  readonly endsAt: number;
  /** The time from which the next one is asked for, while this one is still sent. */
  readonly renewAt: number;
}

/** Assumed life of a token whose end is not known. */
const UNKNOWN_LIFE_MS = 300_000;
const EARLY_MS = 300_000;
const EARLY_SHARE = 0.2;
const SPARE_MS = 10_000;
const MIN_MS = 1_000;

/** @param endsAt in ms since 1970; undefined: unknown */
export function heldToken(token: string, endsAt = Date.now() + UNKNOWN_LIFE_MS): HeldToken {
  const now = Date.now();
  const lifeMs = endsAt - now;
  const early = Math.min(EARLY_MS, lifeMs * EARLY_SHARE);
  return {
    token,
    endsAt: endsAt - Math.min(SPARE_MS, lifeMs / 2),
    renewAt: Math.max(endsAt - early, now + MIN_MS),
  };
}
