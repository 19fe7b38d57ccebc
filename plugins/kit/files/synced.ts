import { fdatasync, fsync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';

const [syncFd, syncDataFd] = [promisify(fsync), promisify(fdatasync)];

/** Waits until the file or folder is on the disk. By descriptor, because the FileHandle of Yarn's Plug'n'Play cannot. */
export function synced({ fd }: FileHandle): Promise<void> {
  return syncFd(fd);
}

/** The same for what is in the file, without its times. */
export function dataSynced({ fd }: FileHandle): Promise<void> {
  return syncDataFd(fd);
}
