import { link, open, readFile, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { synced } from './synced.ts';
import { renameOver } from './renameOver.ts';

const NEW_FILE_MODE = 0o600;
const DRAFT = /^\..+\.[0-9a-f]{12}\.tmp$/;
/** A draft exists for milliseconds; a process that left one this old was killed. */
const ABANDONED_MS = 60_000;

/** Creates a complete file or none. @returns false if the file exists */
export async function createFile(file: string, text: string): Promise<boolean> {
  return throughDraft(file, text, NEW_FILE_MODE, async (draft) => {
    await removeAbandoned(draft);
    try {
      // link() fails if the name is taken, rename() would overwrite.
      await link(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
    await syncFolder(dirname(file));
    return true;
  });
}

/** Replaces a file in one step and keeps its mode; a link stays a link.
 *  @returns false if the content is no longer `expected` */
export async function replaceFile(file: string, expected: string, text: string): Promise<boolean> {
  const target = await realpath(file);
  const { mode } = await stat(target);
  return throughDraft(target, text, mode & 0o777, async (draft) => {
    await removeAbandoned(draft);
    if ((await readFile(target, 'utf8')) !== expected) return false;
    await renameOver(draft, target);
    await syncFolder(dirname(target));
    return true;
  });
}

/** Writes the text beside `file`, and lets `put` bring it there. The draft is in the same folder, so that a rename stays within one
 *  file system; the leading dot hides it from readers. */
export async function throughDraft<T>(
  file: string,
  text: string | Uint8Array,
  mode: number,
  put: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  const handle = await open(draft, 'wx', mode);
  try {
    // The umask may have taken bits away.
    await handle.chmod(mode);
    await handle.writeFile(text);
    await synced(handle);
    return await put(draft);
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

/** Removes old drafts by the clock of the file system, which may be behind ours: with ours, the new draft could look abandoned. */
async function removeAbandoned(newest: string): Promise<void> {
  const folder = dirname(newest);
  const names = await readdir(folder).catch(() => []);
  const oldest = (await stat(newest)).mtimeMs - ABANDONED_MS;
  for (const path of names.filter((name) => DRAFT.test(name)).map((name) => join(folder, name))) {
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && facts.mtimeMs < oldest) await rm(path, { force: true });
  }
}

/** Some file systems cannot sync a folder; the file itself is already safe. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await synced(handle).finally(() => handle.close());
  } catch {
    return;
  }
}
