import { readFile, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Invocation } from 'pegboard';
import { endpointOf } from './endpointOf.ts';
import { writePrivate } from './files.ts';

const FRESH_MS = 30_000;

/** Names for completion, from the user's cache folder while they are fresh: every press of the tab key starts a process. */
export async function cachedNames(
  invocation: Invocation,
  what: string,
  read: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { url } = await endpointOf(invocation);
  const folder = join(
    invocation.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    'pegboard',
    'completion',
  );
  const file = join(
    folder,
    `${createHash('sha256').update(`${url} ${what}`).digest('hex').slice(0, 32)}.txt`,
  );
  const age = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Infinity,
  );
  if (age < FRESH_MS) return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const names = await read();
  // Without a cache folder, each press asks the gateway.
  await writePrivate(file, names.join('\n')).catch(() => undefined);
  return names;
}
