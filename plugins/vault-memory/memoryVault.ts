import { GatewayError } from 'pegboard';
import { JsonVault } from '../kit/vault/jsonVault.ts';
import type { VaultWrite } from '../kit/vault/jsonVault.ts';
import type { VaultMemoryConfig } from './config.ts';

interface Entry {
  /** As JSON, so that callers cannot share the value. */
  readonly json: string;
  readonly bytes: number;
  /** ms since the epoch; Infinity: never */
  readonly expiresAt: number;
}

/** A vault that ends with the process. Every call takes effect before it returns its promise. */
export class MemoryVault extends JsonVault {
  readonly isLasting: boolean = false;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly #limits: () => VaultMemoryConfig;
  readonly #now: () => number;

  constructor(limits: () => VaultMemoryConfig, now: () => number = Date.now) {
    super();
    this.#limits = limits;
    this.#now = now;
  }

  /** Number of entries, expired ones included until they are removed. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Promise<unknown> {
    return Promise.resolve(valueOf(this.#live(key)));
  }

  take(key: string): Promise<unknown> {
    const entry = this.#live(key);
    this.#drop(key);
    return Promise.resolve(valueOf(entry));
  }

  delete(key: string): Promise<boolean> {
    const wasThere = this.#live(key) !== undefined;
    this.#drop(key);
    return Promise.resolve(wasThere);
  }

  list(prefix: string): Promise<readonly string[]> {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
    return Promise.resolve(keys.filter((key) => this.#live(key) !== undefined).sort());
  }

  /** Removes expired entries. */
  sweep(): void {
    for (const key of this.#entries.keys()) if (this.#live(key) === undefined) this.#drop(key);
  }

  /** Done before it returns; a throw in here becomes a rejection. */
  protected write({ key, json, ttlSeconds, expected }: VaultWrite): Promise<boolean> {
    return new Promise((resolve) => {
      const present = this.#live(key)?.json ?? null;
      if (expected !== undefined && expected !== present) {
        resolve(false);
        return;
      }
      const bytes = Buffer.byteLength(json);
      this.#refuseOverLimits(key, bytes);
      this.#drop(key);
      this.#bytes += bytes;
      this.#entries.set(key, { json, bytes, expiresAt: this.#now() + ttlSeconds * 1000 });
      resolve(true);
    });
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > this.#now() ? entry : undefined;
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #refuseOverLimits(key: string, bytes: number): void {
    const { maxEntries, maxBytes, maxValueBytes } = this.#limits();
    if (bytes > maxValueBytes) throw full('maxValueBytes', `the value has ${bytes} bytes`);
    const isFull = (): boolean => !this.#entries.has(key) && this.#entries.size >= maxEntries;
    const isHeavy = (): boolean => this.#bytes + bytes > maxBytes;
    if (!isFull() && !isHeavy()) return;
    this.sweep();
    if (isFull()) throw full('maxEntries', `the vault holds ${this.#entries.size} entries`);
    if (isHeavy()) throw full('maxBytes', `the vault holds ${this.#bytes} bytes`);
  }
}

function valueOf(entry: Entry | undefined): unknown {
  return entry === undefined ? undefined : (JSON.parse(entry.json) as unknown);
}

function full(name: keyof VaultMemoryConfig, what: string): GatewayError {
  const fix = `let entries expire or raise plugins.vault-memory.config.${name}`;
  return new GatewayError('STORE_FORBIDDEN', `${what}; ${fix}`);
}
