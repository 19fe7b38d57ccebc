import { messageOf } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import { Channel } from '../../contracts/processes.ts';

export interface SharedTableParts<T extends JsonObject> {
  /** Begins its keys in the vault, and is its topic on the channel. */
  readonly name: string;
  /** Maximum number of entries; with one more, the oldest is deleted. */
  readonly max: () => number;
  /** Called for every entry that is set or read again. */
  readonly added: (key: string, value: T) => void;
  readonly removed: (key: string, former: T) => void;
  /** The settings of entries that last while some process renews them. */
  readonly lease?: EntryLease<T>;
}
export interface EntryLease<T> {
  /** Whether this process needs the entry. */
  readonly isHeld: (key: string, value: T) => boolean;
  readonly ttlSeconds: () => number;
}

export interface SharedState {
  readonly vault: Vault;
  readonly channel: Channel;
}
/** What processes share that act as one gateway; undefined if this process is alone. */
export function sharedState(scope: Scope<unknown>): SharedState | undefined {
  const channel = scope.find(Channel);
  const vault = scope.find(Vault);
  return channel === undefined || vault === undefined ? undefined : { vault, channel };
}

/** A small table that all processes have whole. The vault has the entries; a message says only which one to read again, and
 *  after a gap all are read. A process that is alone has its entries in memory. */
export class SharedTable<T extends JsonObject> {
  readonly #scope: Scope<unknown>;
  readonly #parts: SharedTableParts<T>;
  readonly #known = new Map<string, T>();
  /** One read at a time, so that an older value never replaces a newer one. */
  #reading = Promise.resolve();

  /** Called in apply() only. */
  constructor(scope: Scope<unknown>, parts: SharedTableParts<T>) {
    this.#scope = scope;
    this.#parts = parts;
    const message = ({ key }: JsonObject): void => void this.#read([String(key)]);
    const gap = (): void => void this.#read();
    scope.each(Channel, (channel) => channel.subscribe(parts.name, { message, gap }));
    // There is no gap if only this plugin starts anew.
    scope.onStart(gap);
  }

  get isShared(): boolean {
    return sharedState(this.#scope) !== undefined;
  }

  get entries(): Iterable<readonly [string, T]> {
    return this.#known;
  }

  /** @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN */
  async set(key: string, value: T, ttlSeconds: number): Promise<void> {
    const shared = sharedState(this.#scope);
    if (shared === undefined) {
      this.#apply(key, value);
      return;
    }
    await shared.vault.set(this.#keyOf(key), value, ttlSeconds);
    shared.channel.publish(this.#parts.name, { key });
    await this.#read([key]);
  }

  /** Takes effect here at once. An entry that cannot be deleted in the vault expires there. */
  delete(key: string): void {
    if (!this.#known.has(key)) return;
    this.#apply(key, undefined);
    const shared = sharedState(this.#scope);
    shared?.vault
      .delete(this.#keyOf(key))
      .then(() => {
        shared.channel.publish(this.#parts.name, { key });
        return this.#read([key]);
      })
      .catch((error: unknown) => this.#failed(error));
  }

  /** Renews the entries that this process holds, and learns which have expired. */
  async renew(): Promise<void> {
    const { lease } = this.#parts;
    const shared = sharedState(this.#scope);
    if (shared === undefined || lease === undefined || this.#known.size === 0) return;
    const held = [...this.#known].filter(([key, value]) => lease.isHeld(key, value));
    // Not set(), which would bring back what another process deletes at the same time.
    const renewed = held.map(([key, value]) =>
      shared.vault.compareAndSwap(this.#keyOf(key), value, value, lease.ttlSeconds()),
    );
    await Promise.all(renewed).catch((error: unknown) => this.#failed(error));
    await this.#read([...this.#known.keys()]);
  }

  /** @param some their keys; all without them */
  #read(some?: readonly string[]): Promise<void> {
    this.#reading = this.#reading
      .then(() => this.#readNow(some))
      .catch((error: unknown) => this.#failed(error));
    return this.#reading;
  }

  async #readNow(some: readonly string[] | undefined): Promise<void> {
    const shared = sharedState(this.#scope);
    if (shared === undefined) return;
    const { vault } = shared;
    const prefix = this.#keyOf('');
    const stored = (await (some === undefined ? vault.list(prefix) : [])).map((key) =>
      key.slice(prefix.length),
    );
    const keys = some ?? [...new Set([...stored, ...this.#known.keys()])];
    const values = await Promise.all(keys.map((key) => vault.get(prefix + key)));
    for (const [at, key] of keys.entries()) {
      const value = values[at] as T | undefined;
      const former = value === undefined && some === undefined ? this.#held(key) : undefined;
      if (former === undefined) this.#apply(key, value);
      else await this.#restore(key, former, shared);
    }
  }

  #held(key: string): T | undefined {
    const known = this.#known.get(key);
    return known !== undefined && this.#parts.lease?.isHeld(key, known) === true ? known : undefined;
  }

  /** The vault was away for so long that the entry has expired. */
  async #restore(key: string, value: T, { vault, channel }: SharedState): Promise<void> {
    await vault.putIfAbsent(this.#keyOf(key), value, this.#parts.lease?.ttlSeconds());
    channel.publish(this.#parts.name, { key });
  }

  #apply(key: string, value: T | undefined): void {
    const former = this.#known.get(key);
    this.#known.delete(key);
    if (value === undefined) {
      if (former !== undefined) this.#parts.removed(key, former);
      return;
    }
    this.#known.set(key, value);
    this.#parts.added(key, value);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > this.#parts.max()) this.delete(oldest);
  }

  #keyOf(key: string): string {
    return `${this.#parts.name}:${key}`;
  }

  /** The next gap or renewal reads it again. */
  #failed(error: unknown): void {
    const { name } = this.#parts;
    this.#scope.log.debug('a shared table could not be read', { name, reason: messageOf(error) });
  }
}
