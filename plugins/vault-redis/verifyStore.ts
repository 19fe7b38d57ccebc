import type { Redis } from 'ioredis';
import { GatewayError } from 'pegboard';
import type { KeyRing } from '../contracts/vault.ts';
import { mastersOf } from './connect.ts';
import type { RedisConnection } from './redisConnection.ts';
import { openValue, sealValue } from './sealedValue.ts';

/** It has GETDEL. */
const MIN_VERSION = '6.2';
/** In the name of a key, quotes are escaped. */
const PROOF = '"keys"';

/** What a client for one server must not use, and what to set. */
const FIX_BY_MODE: Readonly<Record<string, string>> = {
  cluster: 'is a node of a cluster; set plugins.vault-redis.config.cluster: true',
  sentinel: 'is a sentinel; set plugins.vault-redis.config.sentinelMaster',
};

/** Refuses a Redis that would lose entries, and one that holds entries of other keys.
 *  @throws GatewayError STORE_UNREACHABLE */
export async function verifyStore(
  connection: RedisConnection,
  ring: KeyRing,
  keyPrefix: string,
): Promise<void> {
  const masters = await connection.run(mastersOf);
  const isCluster = await connection.run((client) => Promise.resolve(client.isCluster));
  await Promise.all(masters.map((node) => verifyNode(connection, node, isCluster)));
  const name = keyPrefix + PROOF;
  await connection.run((client) => client.set(name, sealValue(ring, PROOF, 'true'), 'NX'));
  const proof = await connection.run((client) => client.getBuffer(name));
  if (proof !== null && openValue(ring, PROOF, proof) !== undefined) return;
  const text = `what Redis holds below ${keyPrefix} is sealed with other keys than those of this process`;
  const fix =
    'give all processes the same plugins.vault-redis.config.secret or PEGBOARD_KEYS_FILE, or set its keyPrefix';
  throw new GatewayError('STORE_UNREACHABLE', `${text}; ${fix}`);
}

async function verifyNode(connection: RedisConnection, node: Redis, isCluster: boolean): Promise<void> {
  const sections = [
    await connection.run(() => node.info('server')),
    await connection.run(() => node.info('memory')),
  ];
  const info = sections.join('\n');
  const fact = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const fix = isCluster ? undefined : FIX_BY_MODE[fact('redis_mode')];
  if (fix !== undefined) throw new GatewayError('STORE_UNREACHABLE', `Redis ${fix}`);
  const version = fact('redis_version');
  if (version.localeCompare(MIN_VERSION, 'en', { numeric: true }) < 0)
    throw new GatewayError(
      'STORE_UNREACHABLE',
      `Redis ${version} is too old; ${MIN_VERSION} or newer is needed`,
    );
  const policy = fact('maxmemory_policy');
  if (fact('maxmemory') === '0' || policy === 'noeviction' || policy === '') return;
  const text = `Redis drops entries when its memory is full (maxmemory-policy ${policy}), and with them sessions and runs`;
  throw new GatewayError('STORE_UNREACHABLE', `${text}; set: CONFIG SET maxmemory-policy noeviction`);
}
