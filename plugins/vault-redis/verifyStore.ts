import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { isGatewayError, isObject } from 'pegboard';
import { refuseNewer } from '../kit/vault/stateFormat.ts';
import type { KeyRing } from '../contracts/vault.ts';
import type { VaultRedisConfig } from './config.ts';
import { mastersOf } from './connect.ts';
import type { RedisConnection } from './redisConnection.ts';
import { ReplicaRefusal, permitted, refusal } from './refusal.ts';
import { openValue, sealValue } from './sealedValue.ts';

/** It has GETDEL. */
const MIN_VERSION = '6.2';
/** In the name of a key, quotes are escaped. */
const PROOF = '"keys"';
/** Begins the key on which a process tries commands: another one may try at the same time. */
const TRIAL = '"trial":';
const TRIAL_MS = 1_000;
/** What the scripts of this plugin use, PUBLISH aside. KEYS: a key of its own. ARGV: ms to live. */
const TRIAL_SCRIPT = `
redis.call('TIME')
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'a', '1')
redis.call('HGET', KEYS[1], 'a')
redis.call('HGETALL', KEYS[1])
redis.call('HDEL', KEYS[1], 'b')
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
return redis.call('GET', KEYS[1])`;

/** What a client for one server must not use, and what to set. */
const FIX_BY_MODE: Readonly<Record<string, string>> = {
  cluster: 'is a node of a cluster; set plugins.vault-redis.config.cluster: true',
  sentinel: 'is a sentinel; set plugins.vault-redis.config.sentinelMaster',
};

/** Refuses a Redis that would lose entries, one that cannot be written, and one without the rights that operations need.
 *  @throws GatewayError STORE_UNREACHABLE */
export async function verifyServer(connection: RedisConnection, config: VaultRedisConfig): Promise<void> {
  const masters = await connection.run(mastersOf);
  const isCluster = await connection.run((client) => Promise.resolve(client.isCluster));
  await Promise.all(masters.map((node) => verifyNode(connection, node, isCluster, config)));
}

/** Refuses a Redis that holds entries of other keys or of a newer version, and proves the own ones to other processes.
 *  @returns an id of what Redis holds; another one after Redis was emptied
 *  @throws GatewayError STORE_UNREACHABLE */
export async function verifyKeys(
  connection: RedisConnection,
  ring: KeyRing,
  { keyPrefix }: VaultRedisConfig,
): Promise<string> {
  const name = keyPrefix + PROOF;
  let proof = await connection.run((client) => client.getBuffer(name));
  if (proof === null) {
    const own = sealValue(ring, PROOF, JSON.stringify(randomUUID()));
    await connection.run((client) => client.set(name, own, 'NX'));
    proof = await connection.run((client) => client.getBuffer(name));
  }
  const id = proof === null ? undefined : openValue(ring, PROOF, proof);
  if (id !== undefined) {
    refuseNewer(`what Redis holds below ${keyPrefix}`, formatIn(id));
    return id;
  }
  const text = `what Redis holds below ${keyPrefix} is sealed with other keys than those of this process`;
  const fix =
    'give all processes the same plugins.vault-redis.config.secret or PEGBOARD_KEYS_FILE, or set its keyPrefix';
  throw refusal(`${text}; ${fix}`);
}

/** The format that a proof of keys names: a text is of the first format, later ones are objects. */
function formatIn(proof: string): number {
  const value: unknown = JSON.parse(proof);
  return isObject(value) && typeof value.format === 'number' ? value.format : 1;
}

/** Tries every command that operations use. @param own id of this process @throws GatewayError STORE_UNREACHABLE naming the right that is missing */
export async function verifyRights(
  connection: RedisConnection,
  config: VaultRedisConfig,
  own: string,
): Promise<void> {
  const name = config.keyPrefix + TRIAL + own;
  const trials = {
    'scripts (EVAL)': () => connection.run((client) => client.eval(TRIAL_SCRIPT, 1, name, TRIAL_MS)),
    SET: () => connection.run((client) => client.set(name, '', 'PX', TRIAL_MS)),
    GET: () => connection.run((client) => client.get(name)),
    EXISTS: () => connection.run((client) => client.exists(name)),
    GETDEL: () => connection.run((client) => client.getdel(name)),
    DEL: () => connection.run((client) => client.del(name)),
  };
  for (const [what, trial] of Object.entries(trials))
    await permitted(config, what, trial).catch((error: unknown) => {
      // A full Redis refuses after it has looked at the rights.
      if (!(isGatewayError(error) && error.code === 'STORE_FORBIDDEN')) throw error;
    });
}

async function verifyNode(
  connection: RedisConnection,
  node: Redis,
  isCluster: boolean,
  config: VaultRedisConfig,
): Promise<void> {
  const sections = ['server', 'memory', 'replication'].map((section) =>
    permitted(config, 'INFO', () => connection.run(() => node.info(section))),
  );
  const info = (await Promise.all(sections)).join('\n');
  const fact = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  // Valkey has its own name for it.
  const fix = isCluster ? undefined : FIX_BY_MODE[fact('redis_mode') || fact('server_mode')];
  if (fix !== undefined) throw refusal(`Redis ${fix}`);
  const version = fact('redis_version');
  if (version.localeCompare(MIN_VERSION, 'en', { numeric: true }) < 0)
    throw refusal(`Redis ${version} is too old; ${MIN_VERSION} or newer is needed`);
  // A cluster is asked for its masters; the one that was a moment ago is replaced by the next operation on it.
  if (!isCluster && fact('role') === 'slave') {
    const text = `Redis is a replica of ${fact('master_host')}:${fact('master_port')} and takes no writes`;
    throw new ReplicaRefusal(
      `${text}; name the master in plugins.vault-redis.config.url, or sentinels and sentinelMaster`,
    );
  }
  await permitted(config, 'SCAN', () =>
    connection.run(() => node.scan(0, 'MATCH', config.keyPrefix + TRIAL, 'COUNT', 1)),
  );
  const policy = fact('maxmemory_policy');
  if (fact('maxmemory') === '0' || policy === 'noeviction' || policy === '') return;
  const text = `Redis drops entries when its memory is full (maxmemory-policy ${policy}), and with them sessions and runs`;
  throw refusal(`${text}; set: CONFIG SET maxmemory-policy noeviction`);
}
