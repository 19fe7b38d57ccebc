import { definePlugin, readSchema, whenConfigured } from 'pegboard';
import { MetricSource } from '../contracts/metrics.ts';
import { CountedVault } from '../kit/vault/countedVault.ts';
import { Vault } from '../contracts/vault.ts';
import type { VaultMemoryConfig } from './config.ts';
import { MemoryVault } from './memoryVault.ts';

export const plugin = definePlugin<VaultMemoryConfig>({
  name: 'vault-memory',
  api: 1,
  configSchema: readSchema('config/vault-memory'),
  // Only one vault runs at a time, and vault-file is the default, so this one needs an entry in config.yaml.
  enabled: whenConfigured('vault-memory'),
  provides: [MetricSource, Vault],
  apply(scope) {
    const vault = new MemoryVault(() => scope.config);
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => clearInterval(timer);
    const start = (): void => {
      stop();
      timer = setInterval(() => vault.sweep(), scope.config.sweepMs);
    };
    const counted = new CountedVault(vault, () => vault.size);
    scope.provide(Vault, counted);
    scope.provide(MetricSource, counted);
    scope.onStart(start);
    scope.onStop(stop);
    // A restart would lose all entries.
    scope.onReload(start);
  },
});
