import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** The process that holds or wants the folder. The file name holds all facts, so that the file is complete once it exists. */
export interface LockHolder {
  readonly file: string;
  /** The machine and process table that the pid belongs to. */
  readonly place: string;
  readonly pid: number;
  /** When the process began, in the system's own count; `0` if unknown. */
  readonly began: string;
}
export interface Lock {
  readonly file: string;
  /** Shows processes on other machines that this one is alive. @returns false if the lock was removed */
  beat(): Promise<boolean>;
  release(): Promise<void>;
}

const NAME = /^lock\.([0-9a-f]{12})\.(\d+)\.(\d+)\.[0-9a-f]{8}$/;

/** One attempt. Each process first creates a file of its own and then looks for others: of two that come at once, each sees
 *  the other and both withdraw, so two never hold the lock. Removing the file of a dead process cannot hit a live one.
 *  @returns the lock, or its holder */
export async function tryLock(folder: string, staleMs: number): Promise<Lock | LockHolder> {
  const holder = await liveHolder(folder, staleMs);
  if (holder !== undefined) return holder;
  const name = `lock.${placeId()}.${process.pid}.${beganAt('self')}.${randomBytes(4).toString('hex')}`;
  const file = join(folder, name);
  await (await open(file, 'wx', 0o600)).close();
  const other = await liveHolder(folder, staleMs, name);
  if (other !== undefined) {
    await rm(file, { force: true });
    return other;
  }
  return {
    file,
    beat: async () => {
      const now = new Date();
      try {
        await utimes(file, now, now);
        return true;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'ENOENT';
      }
    },
    release: () => rm(file, { force: true }),
  };
}

export function isLock(attempt: Lock | LockHolder): attempt is Lock {
  return 'release' in attempt;
}

async function liveHolder(folder: string, staleMs: number, own?: string): Promise<LockHolder | undefined> {
  for (const name of await readdir(folder)) {
    const [, place, pid, began] = NAME.exec(name) ?? [];
    if (name === own || place === undefined || pid === undefined || began === undefined) continue;
    const holder = { file: join(folder, name), place, pid: Number(pid), began };
    if (await isAlive(holder, staleMs)) return holder;
    await rm(holder.file, { force: true });
  }
  return undefined;
}

async function isAlive({ file, place, pid, began }: LockHolder, staleMs: number): Promise<boolean> {
  if (place === placeId()) {
    if (!exists(pid)) return false;
    const now = beganAt(String(pid));
    if (now !== '0') return now === began;
  }
  // Another machine or container, or a system without /proc: only the time of the last beat is known.
  return stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < staleMs,
    () => false,
  );
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Pids are comparable only within one boot and one process table. */
function placeId(): string {
  const facts = [
    hostname(),
    tolerant(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    tolerant(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 12);
}

/** `dead` for a killed process that waits for its parent, `0` if unknown. Fields 3 and 22 of /proc/<pid>/stat; the process
 *  name before them may contain any characters. Source: proc(5) */
function beganAt(pid: string): string {
  const text = tolerant(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'dead';
  return fields[19] !== undefined && /^\d+$/.test(fields[19]) ? fields[19] : '0';
}

function tolerant(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
