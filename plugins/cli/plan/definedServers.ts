import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from 'pegboard';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { readDocuments } from '../definitions/readDocuments.ts';

/** The servers that the files of a configuration directory define, as `name` and the fields of `spec`. @throws Failure */
export async function definedServers(directory: string): Promise<readonly JsonObject[]> {
  const folder = join(directory, SERVER_KIND.folder);
  const files = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const own = files.filter((file) => /^[^.].*\.ya?ml$/.test(file)).sort();
  const documents = await Promise.all(
    own.map(async (file) => readDocuments(await readFile(join(folder, file), 'utf8'), join(folder, file))),
  );
  return documents.flat().map(({ name, spec }) => ({ name, ...spec }));
}
