import { rename } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const BUSY: ReadonlySet<string | undefined> = new Set(['EACCES', 'EBUSY', 'EPERM']);
/** How long a file may be busy. */
const BUSY_MS = 1_000;
const STEP_MS = 20;

/** Puts a file in the place of another one, in one step. Windows refuses that while any program has the other one open, such as a
 *  scanner for a moment: then it is tried again for a second.
 *  @param move that of the file system @throws Error that of `move` */
export async function renameOver(
  from: string,
  to: string,
  platform: NodeJS.Platform = process.platform,
  move: typeof rename = rename,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += STEP_MS) {
    try {
      await move(from, to);
      return;
    } catch (error) {
      const isBusy = platform === 'win32' && BUSY.has((error as NodeJS.ErrnoException).code);
      if (!isBusy || waitedMs >= BUSY_MS) throw error;
      await pause(STEP_MS);
    }
  }
}
