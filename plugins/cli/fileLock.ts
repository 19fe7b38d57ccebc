import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';

/** Takes a lock: a file that names the process which has it. Its folder must exist.
 *  @param staleMs the age from which the lock counts as left behind @returns undefined, or the process that has it
 *  @throws NodeJS.ErrnoException if the folder cannot be written */
export async function takeLock(lock: string, staleMs = Infinity): Promise<number | undefined> {
  const text = `${process.pid} ${randomUUID()}`;
  for (;;) {
    if (await created(lock, text)) return undefined;
    const held = await holderOf(lock);
    if (held === undefined) continue;
    if (isRunning(held.pid) && held.ageMs < staleMs) return held.pid;
    await discard(lock, held.text);
  }
}

export async function releaseLock(lock: string): Promise<void> {
  await rm(lock, { force: true });
}

/** With its text in one step: a reader never finds it empty. */
async function created(lock: string, text: string): Promise<boolean> {
  const draft = `${lock}.${text.replace(' ', '.')}`;
  await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
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

/** Moved away first: of two processes that find it left behind, one may have taken it anew meanwhile. */
async function discard(lock: string, text: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
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
