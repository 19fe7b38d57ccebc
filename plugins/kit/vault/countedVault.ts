import type { Vault } from '../../contracts/vault.ts';
import type { Metric, MetricSource } from '../../contracts/metrics.ts';
import { Tally } from '../metrics/tally.ts';

const OPERATIONS = ['get', 'set', 'putIfAbsent', 'compareAndSwap', 'take', 'delete', 'list'] as const;

/** A vault that counts its operations. */
export class CountedVault implements Vault, MetricSource {
  readonly #vault: Vault;
  readonly #entries: (() => number | undefined) | undefined;
  readonly #operations = new Tally();
  readonly #failures = new Tally();

  /** @param entries how many it has; absent if only the store knows */
  constructor(vault: Vault, entries?: () => number | undefined) {
    this.#vault = vault;
    this.#entries = entries;
    // An alert does not see the first failure of a series that begins with it.
    for (const operation of OPERATIONS) this.#failures.add({ operation }, 0);
  }

  get isLasting(): boolean {
    return this.#vault.isLasting !== false;
  }

  get(key: string): Promise<unknown> {
    return this.#count('get', this.#vault.get(key));
  }
  set(key: string, value: unknown, ttlSeconds?: number): Promise<void> {
    return this.#count('set', this.#vault.set(key, value, ttlSeconds));
  }
  putIfAbsent(key: string, value: unknown, ttlSeconds?: number): Promise<boolean> {
    return this.#count('putIfAbsent', this.#vault.putIfAbsent(key, value, ttlSeconds));
  }
  compareAndSwap(key: string, expected: unknown, value: unknown, ttlSeconds?: number): Promise<boolean> {
    return this.#count('compareAndSwap', this.#vault.compareAndSwap(key, expected, value, ttlSeconds));
  }
  take(key: string): Promise<unknown> {
    return this.#count('take', this.#vault.take(key));
  }
  delete(key: string): Promise<boolean> {
    return this.#count('delete', this.#vault.delete(key));
  }
  list(prefix: string): Promise<readonly string[]> {
    return this.#count('list', this.#vault.list(prefix));
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'pegboard.vault.operations',
        kind: 'counter',
        unit: '{operation}',
        description: 'Operations on the vault, by operation.',
        read: () => this.#operations.samples(),
      },
      {
        name: 'pegboard.vault.failures',
        kind: 'counter',
        unit: '{operation}',
        description: 'Those that have failed, by operation.',
        read: () => this.#failures.samples(),
      },
      {
        name: 'pegboard.vault.entries',
        kind: 'gauge',
        unit: '{entry}',
        description: 'Entries in the vault, expired ones included until they are removed; absent for Redis.',
        read: () => {
          const value = this.#entries?.();
          return value === undefined ? [] : [{ value }];
        },
      },
    ];
  }

  #count<T>(operation: (typeof OPERATIONS)[number], result: Promise<T>): Promise<T> {
    this.#operations.add({ operation });
    result.catch(() => this.#failures.add({ operation }));
    return result;
  }
}
