import { StateDirectory, definePlugin, readSchema, whenConfigured } from 'pegboard';
import type { KeyRing } from 'pegboard';
import { Vault, vaultKeys } from '../vault-file/contract.ts';
import type { VaultRedisConfig } from './config.ts';
import { Connection } from './connection.ts';
import { RedisVault } from './redisVault.ts';
import { verifyStore } from './verifyStore.ts';

export const plugin = definePlugin<VaultRedisConfig>({
  name: 'vault-redis',
  api: 1,
  configSchema: readSchema('config/vault-redis'),
  // Only one vault runs at a time, and vault-file is the default, so this one needs an entry in config.yaml.
  enabled: whenConfigured('vault-redis'),
  provides: [Vault],
  apply(scope) {
    const connection = new Connection(() => scope.config, scope.log);
    let ring: KeyRing | undefined;
    const keys = (): KeyRing => (ring ??= vaultKeys(scope.all(StateDirectory)[0]?.path));
    scope.provide(Vault, new RedisVault({ connection, ring: keys, config: () => scope.config }));
    scope.onStart(async () => {
      await connection.open();
      await verifyStore(connection, keys(), scope.config.keyPrefix);
    });
    scope.onStop(() => connection.close());
  },
});
