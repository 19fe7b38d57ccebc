import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';

export interface WatchOptions {
  /** Quiet time after an event before `ring` is called. */
  readonly settleMs?: number;
  /** `ring` is called this long after the first event, even without quiet time. */
  readonly atMostMs?: number;
  /** Interval of the scans that find changes for which no event came. */
  readonly rescanMs?: number;
  /** Whether the next scan is to call `ring` even if nothing has changed. */
  readonly isWaiting?: () => boolean;
}

/** So many files are all compared in every scan. */
const FEW_FILES = 100;
/** The number that are compared in each scan on average where there are more: all of them in some scans, none in others. */
const FILES_PER_SCAN = 100;
/** The time of a file on FAT is even seconds. */
const COARSEST_TICK_MS = 2_000;
const LEFT_OUT = new Set(['state', 'node_modules', 'tokens']);

/** A trigger (decision D16): calls `ring` with the paths below `directory`, one folder deep, that may have changed.
 *  A watcher misses events after its folder was removed and created again, so a rescan compares the files and re-arms it;
 *  of many files mostly only their folders and what links lead to, so that a gateway at rest does not work for each file.
 *  The first scan rings too, because something may have changed before it. @returns the function that ends it */
export function watchDirectory(
  directory: string,
  ring: (changed: readonly string[]) => void,
  options: WatchOptions = {},
): () => Promise<void> {
  const { settleMs = 50, atMostMs = 400, rescanMs = 700, isWaiting = () => false } = options;
  const touched = new Set<string>();
  let watcher: FSWatcher | undefined;
  let settle: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let seen: Facts | undefined;
  let scans = 0;
  let ended = false;

  const ringNow = (): void => {
    clearTimeout(settle);
    clearTimeout(deadline);
    settle = deadline = undefined;
    // The facts are taken first, so that any later change differs from them.
    void factsBelow(directory).then((now) => {
      const changed = new Set([...touched, ...differing(seen?.files, now.files)]);
      touched.clear();
      seen = now;
      if (!ended) ring([...changed]);
    });
  };
  const onEvent = (path: string): void => {
    if (ended) return;
    touched.add(path);
    clearTimeout(settle);
    settle = setTimeout(ringNow, settleMs);
    deadline ??= setTimeout(ringNow, atMostMs);
  };
  const arm = (): void => {
    void watcher?.close();
    const ignored = (path: string): boolean => path !== directory && LEFT_OUT.has(basename(path));
    // The timer below keeps the process alive; a watcher closed while it arms would do so forever.
    watcher = watch(directory, {
      depth: 1,
      followSymlinks: false,
      ignoreInitial: true,
      ignored,
      persistent: false,
    });
    watcher.on('all', (_, path) => onEvent(path));
    watcher.on('error', () => onEvent(directory));
  };
  const rescan = async (): Promise<void> => {
    scans += 1;
    const count = seen?.files.size ?? 0;
    const isRest = count > FEW_FILES && scans % Math.ceil(count / FILES_PER_SCAN) > 0;
    const now = isRest && seen !== undefined && (await isAsBefore(seen)) ? seen : await factsBelow(directory);
    if (ended || settle !== undefined) return;
    const changed = seen === undefined ? [directory, ...now.files.keys()] : differing(seen.files, now.files);
    if (seen !== undefined && changed.length > 0) arm();
    seen = now;
    if (changed.length > 0 || isWaiting()) ring(changed);
  };
  arm();
  void rescan();
  const timer = setInterval(() => void rescan(), rescanMs);
  return async () => {
    ended = true;
    clearInterval(timer);
    clearTimeout(settle);
    clearTimeout(deadline);
    await watcher?.close();
  };
}

/** Path → time, size and inode. */
type ByPath = ReadonlyMap<string, string>;
interface Facts {
  readonly files: ByPath;
  /** Folders, and what a link leads to: no event comes for the latter. */
  readonly polled: ByPath;
}

function differing(before: ByPath = new Map<string, string>(), now: ByPath): readonly string[] {
  return [...before.keys(), ...now.keys()].filter((path) => before.get(path) !== now.get(path));
}

/** Whether no folder and no target of a link has changed. */
async function isAsBefore({ polled }: Facts): Promise<boolean> {
  const looks = [...polled].map(async ([path, before]) => (await factsOf(path)) === before);
  return (await Promise.all(looks)).every(Boolean);
}

/** Links are followed. @returns undefined if nothing is there */
async function factsOf(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  return facts && `${facts.mtimeMs}:${facts.size}:${facts.ino}`;
}

/** Facts of every YAML file, links followed: updating a mounted ConfigMap replaces a link. */
async function factsBelow(directory: string): Promise<Facts> {
  const files = new Map<string, string>();
  const polled = new Map<string, string>();
  const visit = async (folder: string, depth: number, isLinked: boolean): Promise<void> => {
    const own = await factsOf(folder);
    // What changes within the same tick of the file system's clock has the same time.
    const isSettled = Date.now() - parseFloat(own ?? '') > COARSEST_TICK_MS;
    polled.set(folder, isSettled && own !== undefined ? own : 'look again');
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const visits = entries.map(async (entry) => {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) return;
      const path = join(folder, entry.name);
      const isLink = isLinked || entry.isSymbolicLink();
      if (/\.ya?ml$/.test(entry.name)) {
        const facts = await factsOf(path);
        if (facts === undefined) return;
        files.set(path, facts);
        if (isLink) polled.set(path, facts);
      } else if (depth > 0 && (entry.isDirectory() || entry.isSymbolicLink()))
        await visit(path, depth - 1, isLink);
    });
    await Promise.all(visits);
  };
  await visit(directory, 1, false);
  return { files, polled };
}
