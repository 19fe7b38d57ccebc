import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { parse } from 'yaml';
import { Failure } from './failure.ts';

export interface ConfigFile {
  readonly file: string;
  /** As it is written, not checked; empty without a file. */
  readonly value: JsonObject;
}

/** config.yaml of the configuration directory. @throws Failure if it cannot be read */
export async function readConfig(directory: string): Promise<ConfigFile> {
  const file = join(directory, 'config.yaml');
  try {
    const value: unknown = parse(await readFile(file, 'utf8'));
    return { file, value: isObject(value) ? value : {} };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { file, value: {} };
    throw new Failure(`${file}: ${messageOf(error).split('\n', 1)[0] ?? ''}; see: pegboard check`);
  }
}
