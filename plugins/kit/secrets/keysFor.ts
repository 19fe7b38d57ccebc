import { join } from 'node:path';
import { hkdfSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Env } from 'pegboard';
import type { KeyRing, SealKey } from '../../contracts/vault.ts';
import { loadKeyRing, newKeyRing } from './keyRing.ts';

/** The keys for one use: those of all processes that act as one gateway, then those in `<state>/<use>-keys.json`. Each of the
 *  former becomes one for this use only (HKDF-SHA256, RFC 5869): the given ones, and those in the file that PEGBOARD_KEYS_FILE
 *  names. Without any of these, a new key is valid for this process. A missing file is created.
 *  @param given keys that a store keeps for all processes
 *  @throws Error that names the file and the reason, never the content */
export function keysFor(
  use: 'session' | 'vault',
  stateDirectory: string | undefined,
  given: readonly SealKey[] = [],
  env: Env = process.env,
): KeyRing {
  const own = stateDirectory === undefined ? undefined : join(stateDirectory, `${use}-keys.json`);
  const file = env['PEGBOARD_KEYS_FILE'] ?? '';
  const keyFor = ({ id, key }: SealKey): SealKey => ({
    id,
    key: Buffer.from(hkdfSync('sha256', key, '', `pegboard ${use}`, key.length)),
  });
  const [first, ...others] = [...given, ...(file === '' ? [] : loadKeyRing(file))].map(keyFor);
  if (first === undefined) return own === undefined ? newKeyRing() : loadKeyRing(own);
  const former = own === undefined || !existsSync(own) ? [] : loadKeyRing(own);
  return [first, ...others, ...former];
}
