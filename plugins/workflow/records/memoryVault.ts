import type { Vault } from '../../vault-file/contract.ts';

/** A vault in memory, lost when the process ends. Expired values are deleted on the next access. */
export function memoryVault(): Vault {
  const entries = new Map<string, { readonly value: unknown; readonly expiresAt: number }>();
  const find = (key: string): unknown => {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt > Date.now()) return entry?.value;
    entries.delete(key);
    return undefined;
  };
  return {
    get: (key) => Promise.resolve(find(key)),
    set(key, value, ttlSeconds = Infinity) {
      entries.set(key, { value, expiresAt: Date.now() + ttlSeconds * 1000 });
      return Promise.resolve();
    },
    take(key) {
      const value = find(key);
      entries.delete(key);
      return Promise.resolve(value);
    },
    delete: (key) => Promise.resolve(entries.delete(key)),
    list: (prefix) =>
      Promise.resolve(
        [...entries.keys()].filter((key) => key.startsWith(prefix) && find(key) !== undefined).sort(),
      ),
  };
}
