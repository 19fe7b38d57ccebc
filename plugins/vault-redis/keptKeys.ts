import { hkdfSync } from 'node:crypto';
import { newKeyRing } from '../kit/secrets/keyRing.ts';
import type { KeyRing } from '../contracts/vault.ts';
import type { RedisConnection } from './redisConnection.ts';
import { refusal } from './refusal.ts';
import { openValue, sealValue } from './sealedValue.ts';

type SealKey = KeyRing[number];

/** Below the key prefix. Quotes are escaped in the names of keys, so the vault does not list it. */
const NAME = '"keyring"';
/** Each time that Redis loses everything while a process begins may add one. */
const MAX_KEYS = 32;
/** KEYS: name. ARGV: the bytes that are there (empty: none), the new ones. */
const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

/** The keys that Redis keeps, sealed under the first secret; the first process makes them. Those of this process are put back
 *  where Redis has lost them, behind the ones that another process may have made since.
 *  @param secrets each opens them @param own what this process has; undefined at its start
 *  @throws GatewayError STORE_UNREACHABLE, also if none of the secrets opens them */
export async function keptKeys(
  connection: RedisConnection,
  secrets: readonly [string, ...string[]],
  keyPrefix: string,
  own?: KeyRing,
): Promise<KeyRing> {
  const [first, ...others] = secrets;
  const seals: KeyRing = [sealingKey(first), ...others.map(sealingKey)];
  const name = keyPrefix + NAME;
  for (;;) {
    const bytes = await connection.run((client) => client.getBuffer(name));
    const kept = bytes === null ? undefined : opened(seals, bytes, keyPrefix);
    const keys = together(kept, own);
    // Only a start seals them anew: processes whose first secrets differ would take turns.
    const isSealed = own !== undefined || bytes?.subarray(0, 4).equals(seals[0].id) === true;
    if (kept?.length === keys.length && isSealed) return keys;
    const sealed = sealValue(seals, NAME, jsonOf(keys));
    const replaced = await connection.run((client) => client.eval(REPLACE, 1, name, bytes ?? '', sealed));
    if (replaced === 1) return keys;
  }
}

/** Those in Redis first, because the first key seals, and all processes must open what one has sealed. */
function together(kept: KeyRing | undefined, own: KeyRing | undefined): KeyRing {
  if (kept === undefined || own === undefined) return kept ?? own ?? newKeyRing();
  const [first, ...others] = kept;
  const missing = own.filter(({ id }) => !kept.some((one) => one.id.equals(id)));
  return [first, ...[...others, ...missing].slice(0, MAX_KEYS - 1)];
}

function opened(seals: KeyRing, bytes: Buffer, keyPrefix: string): KeyRing {
  const json = openValue(seals, NAME, bytes);
  if (json !== undefined) return ringOf(json);
  const text = `the keys that Redis holds below ${keyPrefix} are sealed under another secret`;
  const fix =
    'give all processes the same plugins.vault-redis.config.secret. To change it, list the former one, then the new one, ' +
    'and restart all processes; then list the new one first and restart all; then remove the former one. ' +
    'A process that has only the former one lists the new one before it';
  throw refusal(`${text}; ${fix}`);
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
