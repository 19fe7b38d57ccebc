import { messageOf } from 'pegboard';
import type { Scope } from 'pegboard';
import { Vault } from '../contracts/vault.ts';
import type { SearchSemanticConfig } from './config.ts';
import { packed, unpacked } from './vector.ts';
import type { Vector } from './vector.ts';

/** Vectors are kept under `search-semantic:<43 base64url characters>`. */
const PREFIX = 'search-semantic:';

/** Vectors in the vault, by digest of model and text. It only saves work: without a vault, or while it cannot be reached, they are
 *  made anew. */
export class KeptVectors {
  readonly #scope: Scope<SearchSemanticConfig>;
  #keys = new Set<string>();

  constructor(scope: Scope<SearchSemanticConfig>) {
    this.#scope = scope;
  }

  /** Learns which there are, so that the others need not be asked for. */
  async read(): Promise<void> {
    await this.#tried(async (vault) => {
      this.#keys = new Set(await vault.list(PREFIX));
    });
  }

  async get(hash: string): Promise<Vector | undefined> {
    const key = PREFIX + hash;
    if (!this.#keys.has(key)) return undefined;
    return unpacked(await this.#tried((vault) => vault.get(key)));
  }

  async set(hash: string, vector: Vector): Promise<void> {
    const key = PREFIX + hash;
    await this.#tried((vault) => vault.set(key, packed(vector), this.#scope.config.keepSeconds));
    this.#keys.add(key);
  }

  /** Deletes those beyond the bound: of texts that no tool has now, of other models too. */
  async prune(isUsed: (hash: string) => boolean): Promise<void> {
    for (const key of this.#keys) {
      if (this.#keys.size <= this.#scope.config.maxTools) return;
      if (isUsed(key.slice(PREFIX.length))) continue;
      this.#keys.delete(key);
      await this.#tried((vault) => vault.delete(key));
    }
  }

  async #tried<T>(use: (vault: Vault) => Promise<T>): Promise<T | undefined> {
    const vault = this.#scope.find(Vault);
    try {
      return vault === undefined ? undefined : await use(vault);
    } catch (error) {
      this.#scope.log.debug('a vector is not kept', { reason: messageOf(error) });
      return undefined;
    }
  }
}
