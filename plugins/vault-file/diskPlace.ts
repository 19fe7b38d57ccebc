import { copyFile, link, mkdir, open, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { dataSynced, synced } from '../kit/files/synced.ts';
import type { LogFile, LogPlace } from './logPlace.ts';
import { renameOver } from '../kit/files/renameOver.ts';

const FILE = 'vault.log';

/** `<state>/vault/vault.log`; the folder is created with mode 0700, files with 0600. */
export async function diskPlace(folder: string): Promise<LogPlace> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, FILE);
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  return {
    name: file,
    current: async () => {
      try {
        return fileOf(await open(file, 'r+'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    draft: async () => {
      await rm(draft, { force: true });
      return fileOf(await open(draft, 'wx+', 0o600));
    },
    publish: () => renameOver(draft, file),
    settle: () => syncFolder(folder),
    setAside: async () => {
      const aside = await unusedName(`${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '')}`);
      // Some mounted file systems have no hard links.
      await link(file, aside).catch(() => copyFile(file, aside));
      return aside;
    },
  };
}

function fileOf(handle: FileHandle): LogFile {
  return {
    read: async (offset, length) => {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    write: async (offset, bytes) => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
        done += bytesWritten;
      }
    },
    sync: () => dataSynced(handle),
    truncate: (size) => handle.truncate(size),
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** Some file systems cannot sync a folder; on those, the rename is safe anyway. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await synced(handle).finally(() => handle.close());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EIO' || code === 'ENOSPC') throw error;
  }
}

async function unusedName(name: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    const candidate = number === 0 ? name : `${name}-${number}`;
    const isUsed = await stat(candidate).then(
      () => true,
      () => false,
    );
    if (!isUsed) return candidate;
  }
}
