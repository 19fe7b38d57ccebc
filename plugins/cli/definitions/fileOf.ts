import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import { documentsIn } from '../../kit/definitions/documentsIn.ts';
import { Failure } from '../failure.ts';
import type { DefinitionKind } from './definitionKinds.ts';

/** The file in the configuration directory that defines `name`, by its content or its own name. @throws Failure */
export async function fileOf(
  directory: string,
  { folder }: DefinitionKind,
  name: string,
): Promise<string | undefined> {
  const path = join(directory, folder);
  let names: readonly string[];
  try {
    names = await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(`${path} cannot be read: ${messageOf(error)}`);
  }
  for (const file of names.filter((one) => /\.ya?ml$/.test(one)).sort()) {
    const text = await readFile(join(path, file), 'utf8').catch(() => '');
    if (namesIn(text, file).includes(name)) return join(path, file);
  }
  return undefined;
}

function namesIn(text: string, file: string): readonly unknown[] {
  return documentsIn(text, file).map(({ value }) => {
    const { metadata, name } = isObject(value) ? value : {};
    const own = isObject(metadata) ? metadata['name'] : name;
    return own ?? file.replace(/\.ya?ml$/, '');
  });
}
