import { hkdfSync } from 'node:crypto';
import { GatewayError } from 'pegboard';
import { newKeyRing } from '../kit/secrets/keyRing.ts';
import type { KeyRing } from '../contracts/vault.ts';
import type { RedisConnection } from './redisConnection.ts';
import { openValue, sealValue } from './sealedValue.ts';

type SealKey = KeyRing[number];

/** Below the key prefix. Quotes are escaped in the names of keys, so the vault does not list it. */
const NAME = '"keyring"';

/** The keys that Redis keeps, sealed under the first secret; the first process makes them.
 *  @param secrets each opens them
 *  @throws GatewayError STORE_UNREACHABLE, also if none of the secrets opens them */
export async function keptKeys(
  connection: RedisConnection,
  secrets: readonly [string, ...string[]],
  keyPrefix: string,
): Promise<KeyRing> {
  const [first, ...others] = secrets;
  const ring: KeyRing = [sealingKey(first), ...others.map(sealingKey)];
  const name = keyPrefix + NAME;
  const own = sealValue(ring, NAME, jsonOf(newKeyRing()));
  await connection.run((client) => client.set(name, own, 'NX'));
  const kept = await connection.run((client) => client.getBuffer(name));
  const json = kept === null ? undefined : openValue(ring, NAME, kept);
  if (json === undefined) {
    const text = `the keys that Redis holds below ${keyPrefix} are sealed under another secret`;
    const fix =
      'give all processes the same plugins.vault-redis.config.secret; to change it, list the new one and the former one';
    throw new GatewayError('STORE_UNREACHABLE', `${text}; ${fix}`);
  }
  await connection.run((client) => client.set(name, sealValue(ring, NAME, json), 'XX'));
  return ringOf(json);
}

function sealingKey(secret: string): SealKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'pegboard keys', 36));
  return { id: bytes.subarray(0, 4), key: bytes.subarray(4) };
}

function jsonOf(ring: KeyRing): string {
  return JSON.stringify(ring.map(({ id, key }) => [id.toString('hex'), key.toString('base64')]));
}

function ringOf(json: string): KeyRing {
  const keys = JSON.parse(json) as [[string, string], ...[string, string][]];
  const [first, ...others] = keys;
  const keyOf = ([id, key]: readonly [string, string]): SealKey => ({
    id: Buffer.from(id, 'hex'),
    key: Buffer.from(key, 'base64'),
  });
  return [keyOf(first), ...others.map(keyOf)];
}
