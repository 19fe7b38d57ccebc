import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** While another process takes over. */
const PAUSE_MS = 5;

/** Takes a lock: a file that names the process which has it. Its folder must exist.
 *  @param staleMs the age from which the lock counts as left behind @returns undefined, or the process that has it
 *  @throws NodeJS.ErrnoException if the folder cannot be written */
export async function takeLock(lock: string, staleMs = Infinity): Promise<number | undefined> {
  const draft = `${lock}.${process.pid}.${randomUUID()}`;
  await writeFile(draft, draft.slice(lock.length + 1), { flag: 'wx', mode: 0o600 });
  try {
    for (;;) {
      if (await isLinked(draft, lock)) return undefined;
      const held = await holderOf(lock);
      if (held === undefined) continue;
      if (isRunning(held.pid) && held.ageMs < staleMs) return held.pid;
      if (await isTakenOver(lock, held.text, draft)) return undefined;
    }
  } finally {
    await rm(draft, { force: true });
  }
}

export async function releaseLock(lock: string): Promise<void> {
  await rm(lock, { force: true });
}

/** Creates the lock with its text in one step: a reader never finds it empty. @returns false if it exists */
async function isLinked(draft: string, lock: string): Promise<boolean> {
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

interface Holder {
  readonly pid: number;
  readonly text: string;
  readonly ageMs: number;
}
async function holderOf(lock: string): Promise<Holder | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)]);
    return { pid: Number.parseInt(text, 10), text, ageMs: Date.now() - mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a lock that was left behind, one process at a time: of two that have found it, the second finds another text. Without
 *  this lock of its own, the second would remove the lock of the first. */
async function isTakenOver(lock: string, text: string, draft: string): Promise<boolean> {
  const takeover = `${lock}.takeover`;
  if ((await takeLock(takeover)) !== undefined) {
    await pause(PAUSE_MS);
    return false;
  }
  try {
    if ((await holderOf(lock))?.text !== text) return false;
    await rename(draft, lock);
    return true;
  } finally {
    await releaseLock(takeover);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
