/** The longest time of a timer; a longer one would end at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface RenewalParts {
  /** The least time between two renewals of the results of one sharer, a part of their lifetime. */
  readonly pauseMs: () => number;
  /** Reads what is stored, and calls `hold` with it. */
  readonly look: () => Promise<void>;
  readonly renew: (sharer: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
}
interface Holder {
  /** When it last was known to have results, in ms since the epoch. */
  seenAt: number;
  /** When its results may be renewed again, in ms since the epoch. */
  readonly at: number;
  timer?: NodeJS.Timeout;
}

/** When this process renews the results of a sharer that uses it: not with every use, but within a pause after one, once it knows
 *  that there are some. It looks for those of other processes once in a pause. */
export class Renewals {
  readonly #parts: RenewalParts;
  /** The sharers that have results. */
  readonly #holders = new Map<string, Holder>();
  /** When to look again for what other processes have stored. */
  #lookAt = 0;
  /** Those that use the gateway while it looks. */
  #meanwhile: Set<string> | undefined;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  /** Whether nothing is stored, so that it does not matter who uses the gateway. */
  get isIdle(): boolean {
    return this.#holders.size === 0 && this.#meanwhile === undefined && Date.now() < this.#lookAt;
  }

  used(sharer: string): void {
    const now = Date.now();
    if (now >= this.#lookAt) {
      this.#lookAt = now + this.#parts.pauseMs();
      this.#meanwhile ??= new Set();
      void this.#look();
    }
    if (this.#meanwhile === undefined) this.#renewSoon(sharer);
    else this.#meanwhile.add(sharer);
  }

  /** The sharer has a new result. */
  stored(sharer: string): void {
    const now = Date.now();
    this.#see(sharer, { at: now + this.#parts.pauseMs(), seenAt: now });
  }

  /** The sharers that have results. The age of those that are new is unknown.
   *  @param readAt when their list was begun, which may lack what was stored since */
  hold(sharers: ReadonlySet<string>, readAt: number): void {
    for (const sharer of sharers) this.#see(sharer, { at: 0, seenAt: readAt });
    for (const [sharer, { timer, seenAt }] of this.#holders)
      if (!sharers.has(sharer) && seenAt < readAt) {
        clearTimeout(timer);
        this.#holders.delete(sharer);
      }
  }

  stop(): void {
    this.hold(new Set(), Infinity);
  }

  async #look(): Promise<void> {
    await this.#parts.look().catch(this.#parts.failed);
    const users = this.#meanwhile ?? [];
    this.#meanwhile = undefined;
    for (const sharer of users) this.#renewSoon(sharer);
  }

  #see(sharer: string, seen: Holder): void {
    const holder = this.#holders.get(sharer);
    if (holder === undefined) this.#holders.set(sharer, seen);
    else holder.seenAt = Math.max(holder.seenAt, seen.seenAt);
  }

  #renewSoon(sharer: string): void {
    const holder = this.#holders.get(sharer);
    if (holder === undefined || holder.timer !== undefined) return;
    const renew = (): void => {
      this.#holders.set(sharer, { at: Date.now() + this.#parts.pauseMs(), seenAt: holder.seenAt });
      this.#parts.renew(sharer).catch(this.#parts.failed);
    };
    holder.timer = setTimeout(renew, Math.min(Math.max(0, holder.at - Date.now()), MAX_TIMEOUT_MS)).unref();
  }
}
