import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Invocation } from 'pegboard';

/** Path of a file in the user's cache folder, for what can be made anew. @param kind folder @param key of any length */
export function cacheFile({ env }: Pick<Invocation, 'env'>, kind: string, key: string): string {
  const folder = env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return join(folder, 'pegboard', kind, `${name}.txt`);
}
