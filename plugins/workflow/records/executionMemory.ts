import { JsonVault } from '../../kit/vault/jsonVault.ts';
import type { VaultWrite } from '../../kit/vault/jsonVault.ts';

interface Entry {
  readonly json: string;
  readonly expiresAt: number;
}

/** A vault in memory, lost when the process ends. Expired values are deleted on the next access. */
export class ExecutionMemory extends JsonVault {
  readonly #entries = new Map<string, Entry>();

  get(key: string): Promise<unknown> {
    const json = this.#find(key);
    return Promise.resolve(json === undefined ? undefined : JSON.parse(json));
  }

  protected write({ key, json, ttlSeconds, expected }: VaultWrite): Promise<boolean> {
    const isDone = expected === undefined || expected === (this.#find(key) ?? null);
    if (isDone) this.#entries.set(key, { json, expiresAt: Date.now() + ttlSeconds * 1000 });
    return Promise.resolve(isDone);
  }

  async take(key: string): Promise<unknown> {
    const value = await this.get(key);
    this.#entries.delete(key);
    return value;
  }

  delete(key: string): Promise<boolean> {
    return Promise.resolve(this.#entries.delete(key));
  }

  list(prefix: string): Promise<readonly string[]> {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
    return Promise.resolve(keys.filter((key) => this.#find(key) !== undefined).sort());
  }

  #find(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAt > Date.now()) return entry?.json;
    this.#entries.delete(key);
    return undefined;
  }
}
