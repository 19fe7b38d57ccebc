import { isObject, messageOf } from 'pegboard';
import type { Scope } from 'pegboard';
import { Vault } from '../contracts/vault.ts';
import type { SearchLearnedConfig } from './config.ts';
import type { LearnedSearch, LearnedSearches } from './learnedSearches.ts';

/** Searches are kept under `search-learned:<digests of words>`. */
const PREFIX = 'search-learned:';

/** Learnt searches in the vault. Without one they are lost with the process. */
export class KeptSearches {
  readonly #scope: Scope<SearchLearnedConfig>;
  readonly #learned: LearnedSearches;
  /** One write at a time. */
  #writing = Promise.resolve();

  constructor(scope: Scope<SearchLearnedConfig>, learned: LearnedSearches) {
    this.#scope = scope;
    this.#learned = learned;
  }

  /** Reads what is kept, and forgets what is beyond the bound. */
  async read(): Promise<void> {
    const learned = this.#learned;
    await this.#tried(async (vault) => {
      const keys = await vault.list(PREFIX);
      for (const key of keys) {
        if (this.#scope.signal.aborted) return;
        const search = searchOf(await vault.get(key));
        const id = key.slice(PREFIX.length);
        if (search !== undefined) learned.join(id, search);
      }
      for (const key of keys)
        if (learned.get(key.slice(PREFIX.length)) === undefined) await vault.delete(key);
    });
  }

  /** @param forgotten what is no longer kept */
  write(id: string, forgotten: readonly string[]): void {
    this.#writing = this.#writing.then(() =>
      this.#tried(async (vault) => {
        const search = this.#learned.get(id);
        for (const one of forgotten) await vault.delete(PREFIX + one);
        if (search !== undefined) await vault.set(PREFIX + id, search, this.#scope.config.keepSeconds);
      }),
    );
  }

  async written(): Promise<void> {
    await this.#writing;
  }

  async #tried(use: (vault: Vault) => Promise<void>): Promise<void> {
    const vault = this.#scope.find(Vault);
    try {
      if (vault !== undefined) await use(vault);
    } catch (error) {
      this.#scope.log.debug('a search is not kept', { reason: messageOf(error) });
    }
  }
}

function searchOf(value: unknown): LearnedSearch | undefined {
  if (!isObject(value)) return undefined;
  const { words, calls } = value;
  const isSearch = Array.isArray(words) && isObject(calls) && Object.values(calls).every(Number.isInteger);
  return isSearch ? (value as unknown as LearnedSearch) : undefined;
}
