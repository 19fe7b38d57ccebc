import { hkdfSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../contracts/settings.ts';
import { loadKeyRing, newKeyRing } from './keyRing.ts';
import type { KeyRing, SealKey } from './keyRing.ts';

/** The keys for one use. PEGBOARD_KEYS_FILE names a file that processes which act as one gateway share: each of its keys becomes
 *  one for this use only (HKDF-SHA256, RFC 5869). The keys in `<state>/<use>-keys.json` come after them, or are the only ones.
 *  Without either, a new key is valid for this process. A missing file is created.
 *  @throws Error that names the file and the reason, never the content */
export function keysFor(
  use: 'session' | 'vault',
  stateDirectory: string | undefined,
  env: Env = process.env,
): KeyRing {
  const own = stateDirectory === undefined ? undefined : join(stateDirectory, `${use}-keys.json`);
  const shared = env['PEGBOARD_KEYS_FILE'] ?? '';
  if (shared === '') return own === undefined ? newKeyRing() : loadKeyRing(own);
  const keyFor = ({ id, key }: SealKey): SealKey => ({
    id,
    key: Buffer.from(hkdfSync('sha256', key, '', `pegboard ${use}`, key.length)),
  });
  const [first, ...others] = loadKeyRing(shared);
  const former = own === undefined || !existsSync(own) ? [] : loadKeyRing(own);
  return [keyFor(first), ...others.map(keyFor), ...former];
}
