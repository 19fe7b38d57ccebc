import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from 'pegboard';
import { Failure } from '../failure.ts';

/** Creates a complete file with mode 0600, or none. @throws Failure if it exists, or cannot be written */
export async function createFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    // link() fails if the name is taken, rename() would overwrite.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Failure(`${file} exists already; choose another name, or edit the file`);
    throw new Failure(`${file} cannot be written: ${messageOf(error)}; name another with --config-path`);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
