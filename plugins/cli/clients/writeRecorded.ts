import { createPrivate, textAt } from '../files.ts';
import { textDigest } from './importRecord.ts';
import type { ImportRecord } from './importRecord.ts';

interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** Writes definitions with the files of their secrets. The record comes first, so that an import that breaks off can be undone.
 *  @throws Failure if another file is there */
export async function writeRecorded(
  all: readonly { readonly definition: NewFile; readonly secrets: readonly NewFile[] }[],
  record: ImportRecord,
): Promise<void> {
  const written = ({ path, text }: NewFile) => ({ path, digest: textDigest(text) });
  const servers = all.map(({ definition, secrets }) => ({
    definition: written(definition),
    secrets: secrets.map(written),
  }));
  await record.add({ kind: 'import', servers });
  for (const { definition, secrets } of all)
    for (const { path, text } of [...secrets, definition])
      if ((await textAt(path)) !== text) await createPrivate(path, text);
}
