import { readFile, stat } from 'node:fs/promises';
import type { Invocation } from 'pegboard';
import { cacheFile } from './cacheFile.ts';
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
  const file = cacheFile(invocation, 'completion', `${url} ${what}`);
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
