import { definePlugin, readSchema, whenConfigured } from 'pegboard';
import { Vault } from '../vault-file/contract.ts';
import { MemoryVault } from './memoryVault.ts';
import type { VaultMemoryConfig } from './memoryVault.ts';

export const plugin = definePlugin<VaultMemoryConfig>({
  name: 'vault-memory',
  api: 1,
  configSchema: readSchema('config/vault-memory'),
  // There is one vault at a time, and the file is the default: this one runs when config.yaml names it.
  enabled: whenConfigured('vault-memory'),
  provides: [Vault],
  apply(scope) {
    const vault = new MemoryVault(() => scope.config);
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => clearInterval(timer);
    const start = (): void => {
      stop();
      timer = setInterval(() => vault.sweep(), scope.config.sweepMs);
    };
    scope.provide(Vault, vault);
    scope.onStart(start);
    scope.onStop(stop);
    // A restart would lose everything.
    scope.onReload(start);
  },
});
