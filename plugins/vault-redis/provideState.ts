import { isDeepStrictEqual } from 'node:util';
import { ConfigControl, StateDirectory } from 'pegboard';
import type { Scope } from 'pegboard';
import type { KeyRing } from '../contracts/vault.ts';
import { Readiness } from '../contracts/http.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { CountedVault } from '../kit/vault/countedVault.ts';
import { Vault } from '../contracts/vault.ts';
import { vaultKeys } from '../kit/vault/vaultKeys.ts';
import { Channel, Peers, Quotas, SharedKeys } from '../contracts/processes.ts';
import type { VaultRedisConfig } from './config.ts';
import { RedisConnection } from './redisConnection.ts';
import { filledConfig, usableConfig } from './filledConfig.ts';
import { keptKeys } from './keptKeys.ts';
import { RedisChannel } from './redisChannel.ts';
import { RedisPeers } from './redisPeers.ts';
import { RedisQuotas } from './redisQuotas.ts';
import { RedisVault } from './redisVault.ts';
import { StoreWatch } from './storeWatch.ts';
import { verifyKeys, verifyRights, verifyServer } from './verifyStore.ts';

const EMPTIED =
  'Redis has lost what it held: sign-ins, runs and stored results are gone; sessions go on, and their keys are put back';
/** The topic on which a process says that it has changed the keys in Redis. */
const KEYS = 'keys';

/** Provides what processes share, over one connection for operations and one for messages. */
export function provideState(scope: Scope<VaultRedisConfig>): void {
  let { config } = scope;
  let ring: KeyRing | undefined;
  let kept: KeyRing | undefined;
  let held: string | undefined;
  const keys = (): KeyRing => (ring ??= vaultKeys(scope.find(StateDirectory)?.path, kept));
  const current = (): VaultRedisConfig => config;
  const doubted = (): void => void watch.check();
  const connection = new RedisConnection(current, scope.log, doubted);
  const peers = new RedisPeers(connection, current, scope.log);
  const { own } = peers;
  const channel = new RedisChannel({ connection, config: current, ring: keys, log: scope.log, own, doubted });
  let unread: string | undefined;
  /** Files that the configuration names may have changed: passwords and certificates are renewed while processes run. */
  const readAgain = (): void => {
    const { config: next, findings } = filledConfig(
      scope.config,
      scope.get(ConfigControl).directory,
      process.env,
    );
    const [fault] = findings.map(({ message }) => message);
    if (fault !== undefined && fault !== unread)
      scope.log.warn('the configuration of Redis cannot be read again; the former one is used on', { fault });
    unread = fault;
    if (fault !== undefined || isDeepStrictEqual(next, config)) return;
    config = next;
    connection.reopen();
    channel.close();
    channel.open();
  };
  const verify = async (): Promise<void> => {
    readAgain();
    await verifyServer(connection, config);
    await verifyRights(connection, config, own);
    await adoptKeys();
    const found = await verifyKeys(connection, keys(), config);
    const isEmptied = held !== undefined && found !== held;
    held = found;
    if (isEmptied) {
      scope.log.warn(EMPTIED);
      channel.tellEmptied();
    }
    await channel.verify();
  };
  const adoptKeys = async (): Promise<void> => {
    const [first, ...others] = [config.secret ?? []].flat();
    if (first === undefined) return;
    const adopted = await keptKeys(connection, [first, ...others], config.keyPrefix, kept);
    if (isDeepStrictEqual(adopted, kept)) return;
    const isFirst = kept === undefined;
    [kept, ring] = [adopted, undefined];
    if (isFirst) return;
    scope.log.warn('another process keeps other keys in Redis; from now on this one uses them too');
    channel.publish(KEYS, {});
  };
  const watch = new StoreWatch({
    verify,
    reopen: () => connection.reopen(),
    // What the end of a connection has told is read too early while Redis, or one master of a cluster, is away.
    recovered: () => channel.tellGap(),
    everyMs: () => config.verifyMs,
    log: scope.log,
  });
  channel.subscribe(KEYS, { message: doubted });
  const vault = new CountedVault(new RedisVault(connection, keys, current));
  scope.provide(Vault, vault);
  scope.provide(MetricSource, vault);
  scope.provide(MetricSource, channel);
  scope.provide(Channel, channel);
  scope.provide(Peers, peers);
  scope.provide(Quotas, new RedisQuotas(connection, current, own));
  scope.provide(Readiness, watch);
  scope.provide(SharedKeys, { keys: () => kept });
  scope.onStart(async () => {
    config = usableConfig(scope.config, scope.get(ConfigControl).directory);
    await connection.open();
    channel.open();
    await watch.open();
    await peers.open();
  });
  scope.onStop(() => {
    watch.close();
    channel.close();
    peers.close();
    connection.close();
  });
}
