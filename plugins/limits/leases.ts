import { digest } from '../kit/secrets/secrets.ts';
import type { Quotas } from '../contracts/processes.ts';
import type { Limit } from './config.ts';
import { DrawnCalls } from './drawnCalls.ts';

export type Limited = 'session' | 'caller' | 'server' | 'tool';

/** Each lease in use costs one round trip in this time, and what it does not use is given back after it. */
const WINDOW_MS = 1_000;

/** What this process has drawn from limits that it shares with others; only limits that were used in the last window. */
export class Leases {
  readonly #quotas: () => Quotas;
  readonly #leaseByName = new Map<string, DrawnCalls>();
  #timer: NodeJS.Timeout | undefined;

  /** @param quotas throws GatewayError STORE_UNREACHABLE if no plugin provides it */
  constructor(quotas: () => Quotas) {
    this.#quotas = quotas;
  }

  /** Sessions and callers leave this process as digests only. */
  of(what: Limited, name: string, limit: Limit): DrawnCalls {
    const key = `${what}:${name}`;
    let lease = this.#leaseByName.get(key);
    if (lease === undefined) {
      const isSecret = what === 'session' || what === 'caller';
      lease = new DrawnCalls(isSecret ? `${what}:${digest(name)}` : key, limit, this.#quotas);
      this.#leaseByName.set(key, lease);
      this.#timer ??= setInterval(() => void this.#renewAll(), WINDOW_MS).unref();
    }
    lease.limit = limit;
    return lease;
  }

  /** Gives everything back that no running call needs. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled([...this.#leaseByName.values()].map((lease) => lease.giveBack()));
  }

  async #renewAll(): Promise<void> {
    // A failure is reported to the calls that need the store.
    await Promise.allSettled([...this.#leaseByName].map((entry) => this.#renew(...entry)));
    if (this.#leaseByName.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #renew(name: string, lease: DrawnCalls): Promise<void> {
    const wasInUse = lease.isInUse();
    await (wasInUse ? lease.renew() : lease.giveBack());
    if (!wasInUse && !lease.isInUse()) this.#leaseByName.delete(name);
  }
}
