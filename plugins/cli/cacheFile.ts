import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { homeFolder } from 'pegboard';
import type { Invocation } from 'pegboard';

/** Path of a file in the user's cache folder, for what can be made anew; in the configuration directory of a user without one. @param kind folder @param key of any length */
export function cacheFile({ env, directory }: Invocation, kind: string, key: string): string {
  const folder = env['XDG_CACHE_HOME'] ?? join(homeFolder() ?? directory, '.cache');
  const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return join(folder, 'pegboard', kind, `${name}.txt`);
}
