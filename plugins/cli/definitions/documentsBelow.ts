import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DefinitionKind } from './definitionKinds.ts';
import { readDocuments } from './readDocuments.ts';
import type { Document } from './readDocuments.ts';

/** The definitions in a kind's folder of a configuration directory; none without the folder. @throws Failure */
export async function documentsBelow(directory: string, kind: DefinitionKind): Promise<readonly Document[]> {
  const folder = join(directory, kind.folder);
  const files = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const own = files.filter((file) => /^[^.].*\.ya?ml$/.test(file)).sort();
  const documents = await Promise.all(
    own.map(async (file) =>
      readDocuments(await readFile(join(folder, file), 'utf8'), join(folder, file), kind),
    ),
  );
  return documents.flat();
}
