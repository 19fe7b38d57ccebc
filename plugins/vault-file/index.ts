import { StateDirectory, definePlugin, readSchema } from 'pegboard';
import { MetricSource } from '../contracts/metrics.ts';
import { CountedVault } from '../kit/vault/countedVault.ts';
import { Vault } from '../contracts/vault.ts';
import type { VaultFileConfig } from './config.ts';
import { OpeningVault } from './openingVault.ts';

export const plugin = definePlugin<VaultFileConfig>({
  name: 'vault-file',
  api: 1,
  configSchema: readSchema('config/vault-file'),
  provides: [MetricSource, Vault],
  apply(scope) {
    const vault = new OpeningVault(
      () => scope.find(StateDirectory)?.path,
      () => scope.config,
      scope.log,
    );
    const counted = new CountedVault(vault, () => vault.size);
    scope.provide(Vault, counted);
    scope.provide(MetricSource, counted);
    scope.onStart(() => vault.begin());
    scope.onStop(() => vault.close());
    scope.onReload(() => vault.reschedule());
  },
});
