export interface RenewalParts {
  /** The least time between two renewals of the results of one sharer, a part of their lifetime. */
  readonly pauseMs: () => number;
  /** Reads what is stored, and calls `hold` with it. */
  readonly look: () => Promise<void>;
  readonly renew: (sharer: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
}
interface Holder {
  /** When its results may be renewed again, in ms since the epoch. */
  readonly at: number;
  timer?: NodeJS.Timeout;
}

/** When results are renewed whose sharer uses the gateway: not with every use, but always within a pause after it. */
export class Renewals {
  readonly #parts: RenewalParts;
  /** The sharers that have results. */
  readonly #holders = new Map<string, Holder>();
  /** When to look again for what other processes have stored. */
  #lookAt = 0;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  /** Whether nothing is stored, so that it does not matter who uses the gateway. */
  get isIdle(): boolean {
    return this.#holders.size === 0 && Date.now() < this.#lookAt;
  }

  used(sharer: string): void {
    const now = Date.now();
    if (now < this.#lookAt) {
      this.#renewSoon(sharer, now);
      return;
    }
    this.#lookAt = now + this.#parts.pauseMs();
    this.#parts.look().then(() => this.#renewSoon(sharer, now), this.#parts.failed);
  }

  /** The sharer has a new result. */
  stored(sharer: string): void {
    if (!this.#holders.has(sharer)) this.#holders.set(sharer, { at: Date.now() + this.#parts.pauseMs() });
  }

  /** The sharers that have results now. The age of those that are new is unknown. */
  hold(sharers: ReadonlySet<string>): void {
    for (const sharer of sharers) if (!this.#holders.has(sharer)) this.#holders.set(sharer, { at: 0 });
    for (const [sharer, { timer }] of this.#holders)
      if (!sharers.has(sharer)) {
        clearTimeout(timer);
        this.#holders.delete(sharer);
      }
  }

  stop(): void {
    this.hold(new Set());
  }

  #renewSoon(sharer: string, now: number): void {
    const holder = this.#holders.get(sharer);
    if (holder === undefined || holder.timer !== undefined) return;
    const renew = (): void => {
      this.#holders.set(sharer, { at: Date.now() + this.#parts.pauseMs() });
      this.#parts.renew(sharer).catch(this.#parts.failed);
    };
    holder.timer = setTimeout(renew, Math.max(0, holder.at - now)).unref();
  }
}
