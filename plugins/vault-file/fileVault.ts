import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import { JsonVault } from '../kit/vault/jsonVault.ts';
import type { VaultWrite } from '../kit/vault/jsonVault.ts';
import type { VaultFileConfig } from './config.ts';
import type { SealedLog } from './sealedLog.ts';
import { OVERHEAD_BYTES } from './logRecord.ts';
import type { Location } from './scan.ts';

export type VaultLimits = Pick<
  VaultFileConfig,
  'maxEntries' | 'maxBytes' | 'maxValueBytes' | 'maxPendingBytes'
>;

/** Keys and values over a sealed log. Calls for one key run in order, so that only one of two takes gets the value; calls for
 *  different keys share a sync. */
export class FileVault extends JsonVault {
  readonly #log: SealedLog;
  readonly #limits: () => VaultLimits;
  readonly #now: () => number;
  /** The last running call for each key. */
  readonly #lastByKey = new Map<string, Promise<unknown>>();
  /** Number of new keys whose `set` is running. */
  #coming = 0;

  constructor(log: SealedLog, limits: () => VaultLimits, now: () => number = Date.now) {
    super();
    this.#log = log;
    this.#limits = limits;
    this.#now = now;
  }

  async get(key: string): Promise<unknown> {
    // A write that is not synced may still be lost, so it is not visible yet.
    await this.#lastByKey.get(key)?.catch(() => undefined);
    return this.#guarded(() => this.#valueOf(key));
  }

  /** @returns whether it was written */
  write({ key, json, ttlSeconds, expected }: VaultWrite): Promise<boolean> {
    const bytes = Buffer.from(json);
    return this.#inOrder(key, async () => {
      if (expected !== undefined && expected !== ((await this.#jsonOf(key)) ?? null)) return false;
      const isNew = !this.#log.entries.has(key);
      this.#refuseOverLimits(bytes.length, isNew);
      if (isNew) this.#coming += 1;
      try {
        const expiresAt = this.#now() + ttlSeconds * 1000;
        await this.#log.append({ op: 'set', key, value: bytes, expiresAt });
      } finally {
        if (isNew) this.#coming -= 1;
      }
      return true;
    });
  }

  take(key: string): Promise<unknown> {
    return this.#inOrder(key, async () => {
      const value = await this.#valueOf(key);
      if (value !== undefined) await this.#log.append({ op: 'delete', key });
      return value;
    });
  }

  delete(key: string): Promise<boolean> {
    return this.#inOrder(key, async () => {
      if (this.#locate(key) === undefined) return false;
      await this.#log.append({ op: 'delete', key });
      return true;
    });
  }

  list(prefix: string): Promise<readonly string[]> {
    const now = this.#now();
    const keys: string[] = [];
    for (const [key, { expiresAt }] of this.#log.entries) {
      if (expiresAt > now && key.startsWith(prefix)) keys.push(key);
    }
    return Promise.resolve(keys.sort());
  }

  /** Removes expired entries. */
  sweep(): void {
    const now = this.#now();
    for (const [key, { expiresAt }] of this.#log.entries) if (expiresAt <= now) this.#log.forget(key);
  }

  #locate(key: string): Location | undefined {
    const location = this.#log.entries.get(key);
    return location !== undefined && location.expiresAt > this.#now() ? location : undefined;
  }

  async #valueOf(key: string): Promise<unknown> {
    const json = await this.#jsonOf(key);
    return json === undefined ? undefined : (JSON.parse(json) as unknown);
  }

  async #jsonOf(key: string): Promise<string | undefined> {
    const location = this.#locate(key);
    if (location === undefined) return undefined;
    const bytes = await this.#log.read(location);
    if (bytes !== undefined) return bytes.toString();
    const fix = 'check the disk; a restart puts the damaged file aside and keeps the rest';
    throw new GatewayError('STORE_UNREACHABLE', `a record of the vault cannot be read; ${fix}`);
  }

  async #inOrder<T>(key: string, work: () => Promise<T>): Promise<T> {
    const run = (): Promise<T> => this.#guarded(work);
    const former = this.#lastByKey.get(key);
    const mine = former === undefined ? run() : former.then(run, run);
    this.#lastByKey.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#lastByKey.get(key) === mine) this.#lastByKey.delete(key);
    }
  }

  /** Wraps errors of the disk; the message contains neither keys nor values. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isGatewayError(error)) throw error;
      const text = `the vault cannot be read or written: ${messageOf(error)}; check the disk of the state directory`;
      throw new GatewayError('STORE_UNREACHABLE', text, { cause: error });
    }
  }

  #refuseOverLimits(bytes: number, isNew: boolean): void {
    const { maxEntries, maxBytes, maxValueBytes, maxPendingBytes } = this.#limits();
    const { entries, pendingBytes } = this.#log;
    if (bytes > maxValueBytes) throw full('maxValueBytes', `the value has ${bytes} bytes`);
    if (pendingBytes > 0 && pendingBytes + bytes > maxPendingBytes) {
      const text = `${pendingBytes} bytes wait for the vault's disk; try again, or raise ${setting('maxPendingBytes')}`;
      throw new GatewayError('STORE_UNREACHABLE', text);
    }
    const isFull = (): boolean => isNew && entries.size + this.#coming >= maxEntries;
    const isHeavy = (): boolean => this.#log.liveBytes + pendingBytes + bytes + OVERHEAD_BYTES > maxBytes;
    if (!isFull() && !isHeavy()) return;
    this.sweep();
    if (isFull()) throw full('maxEntries', `the vault holds ${entries.size} entries`);
    if (isHeavy()) throw full('maxBytes', `the vault holds ${this.#log.liveBytes} bytes`);
  }
}

function setting(name: keyof VaultLimits): string {
  return `plugins.vault-file.config.${name}`;
}

function full(name: keyof VaultLimits, what: string): GatewayError {
  return new GatewayError('STORE_FORBIDDEN', `${what}; let entries expire or raise ${setting(name)}`);
}
