import { isUtf8 } from 'node:buffer';
import { link, mkdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from 'pegboard';
import { throughDraft } from '../kit/files/atomicFile.ts';
import { Failure } from './failure.ts';
import { renameOver } from '../kit/files/renameOver.ts';

const PRIVATE = 0o600;

/** Creates a file of mode 0600 in one step, with its folder. @throws Failure if it exists, or cannot be written */
export async function createPrivate(path: string, text: string): Promise<void> {
  // link() fails if the name is taken, rename() would overwrite.
  await place(path, text, PRIVATE, (draft) =>
    link(draft, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Failure(`${path} exists already; choose another name, or edit the file`);
    }),
  );
}

/** Creates or overwrites a file of mode 0600 in one step, with its folder. @throws Failure if it cannot be written */
export async function writePrivate(path: string, text: string): Promise<void> {
  await place(path, text, PRIVATE, (draft) => renameOver(draft, path));
}

/** Replaces a file in one step and keeps its mode; a link stays a link. @param before the text that must still be there,
 *  undefined if there was no file @param isPrivate takes the rights of others away @throws Failure if it has changed, or cannot be
 *  written */
export async function replaceText(
  path: string,
  before: string | undefined,
  text: string,
  isPrivate = false,
): Promise<void> {
  await written(path, async () => {
    const target = before === undefined ? path : await realpath(path);
    const mode = before === undefined ? PRIVATE : (await stat(target)).mode & (isPrivate ? 0o700 : 0o7777);
    await place(target, text, mode, async (draft) => {
      if ((await textAt(path)) !== before)
        throw new Failure(
          `${path} has changed since it was read, so it is left as it is; run the command again`,
        );
      await renameOver(draft, target);
    });
  });
}

/** @throws Failure */
export async function removeFile(path: string): Promise<void> {
  await written(path, () => rm(path));
}

/** @returns undefined if there is no such file @throws Failure if it cannot be read */
export async function textAt(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    // Other encodings would not survive being written back.
    if (isUtf8(bytes)) return bytes.toString('utf8');
  } catch (error) {
    // A file may be in place of its folder.
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new Failure(`${path} cannot be read: ${messageOf(error)}`);
  }
  throw new Failure(`${path} is not valid UTF-8`);
}

/** Runs what changes a file. @throws Failure with the path */
async function written(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${path} cannot be written: ${messageOf(error)}`);
  }
}

/** Brings the text to `path`, with its folder. @throws Failure */
async function place(
  path: string,
  text: string,
  mode: number,
  put: (draft: string) => Promise<void>,
): Promise<void> {
  await written(path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await throughDraft(path, text, mode, put);
  });
}
