import { StateDirectory } from 'pegboard';
import type { KeyRing, Scope } from 'pegboard';
import { Vault, vaultKeys } from '../vault-file/contract.ts';
import type { VaultRedisConfig } from './config.ts';
import { Connection } from './connection.ts';
import { Channel, Peers, Quotas } from './contract.ts';
import { RedisChannel } from './redisChannel.ts';
import { RedisPeers } from './redisPeers.ts';
import { RedisQuotas } from './redisQuotas.ts';
import { RedisVault } from './redisVault.ts';
import { verifyStore } from './verifyStore.ts';

/** Provides what processes share, over one connection for operations and one for messages. */
export function provideState(scope: Scope<VaultRedisConfig>): void {
  const connection = new Connection(() => scope.config, scope.log);
  let ring: KeyRing | undefined;
  const keys = (): KeyRing => (ring ??= vaultKeys(scope.all(StateDirectory)[0]?.path));
  const parts = { connection, ring: keys, config: () => scope.config, log: scope.log };
  const peers = new RedisPeers(parts);
  const channel = new RedisChannel({ ...parts, own: peers.own });
  scope.provide(Vault, new RedisVault(parts));
  scope.provide(Channel, channel);
  scope.provide(Peers, peers);
  scope.provide(Quotas, new RedisQuotas({ ...parts, own: peers.own }));
  scope.onStart(async () => {
    await connection.open();
    await verifyStore(connection, keys(), scope.config.keyPrefix);
    await peers.open();
    channel.open();
  });
  scope.onStop(() => {
    channel.close();
    peers.close();
    connection.close();
  });
}
