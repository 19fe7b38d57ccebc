import { ConfigControl, StateDirectory } from 'pegboard';
import type { Scope } from 'pegboard';
import type { KeyRing } from '../contracts/vault.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { CountedVault } from '../kit/vault/countedVault.ts';
import { Vault } from '../contracts/vault.ts';
import { vaultKeys } from '../kit/vault/vaultKeys.ts';
import { Channel, Peers, Quotas, SharedKeys } from '../contracts/processes.ts';
import type { VaultRedisConfig } from './config.ts';
import { RedisConnection } from './redisConnection.ts';
import { usableConfig } from './filledConfig.ts';
import { keptKeys } from './keptKeys.ts';
import { RedisChannel } from './redisChannel.ts';
import { RedisPeers } from './redisPeers.ts';
import { RedisQuotas } from './redisQuotas.ts';
import { RedisVault } from './redisVault.ts';
import { verifyStore } from './verifyStore.ts';

/** Provides what processes share, over one connection for operations and one for messages. */
export function provideState(scope: Scope<VaultRedisConfig>): void {
  let { config } = scope;
  const connection = new RedisConnection(() => config, scope.log);
  let ring: KeyRing | undefined;
  let kept: KeyRing | undefined;
  const keys = (): KeyRing => (ring ??= vaultKeys(scope.find(StateDirectory)?.path, kept));
  const current = (): VaultRedisConfig => config;
  const peers = new RedisPeers(connection, current, scope.log);
  const channel = new RedisChannel({
    connection,
    config: current,
    ring: keys,
    log: scope.log,
    own: peers.own,
  });
  const vault = new CountedVault(new RedisVault(connection, keys, current));
  scope.provide(Vault, vault);
  scope.provide(MetricSource, vault);
  scope.provide(MetricSource, channel);
  scope.provide(Channel, channel);
  scope.provide(Peers, peers);
  scope.provide(Quotas, new RedisQuotas(connection, current, peers.own));
  scope.provide(SharedKeys, { keys: () => kept });
  scope.onStart(async () => {
    config = usableConfig(scope.config, scope.get(ConfigControl).directory);
    await connection.open();
    const [first, ...others] = [config.secret ?? []].flat();
    if (first !== undefined) kept = await keptKeys(connection, [first, ...others], config.keyPrefix);
    await verifyStore(connection, keys(), config.keyPrefix);
    await peers.open();
    channel.open();
  });
  scope.onStop(() => {
    channel.close();
    peers.close();
    connection.close();
  });
}
