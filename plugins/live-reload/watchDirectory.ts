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

const LEFT_OUT = new Set(['state', 'node_modules', 'tokens']);

/** A trigger (decision D16): calls `ring` with the paths below `directory`, one folder deep, that may have changed.
 *  A watcher misses events after its folder was removed and created again, so a rescan compares the files and re-arms it.
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
  let ended = false;

  const ringNow = (): void => {
    clearTimeout(settle);
    clearTimeout(deadline);
    settle = deadline = undefined;
    // The facts are taken first, so that any later change differs from them.
    void factsBelow(directory).then((now) => {
      const changed = new Set([...touched, ...differing(seen, now)]);
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
    const now = await factsBelow(directory);
    if (ended || settle !== undefined) return;
    const changed = seen === undefined ? [directory, ...now.keys()] : differing(seen, now);
    if (changed.length === 0 && !isWaiting()) return;
    if (seen !== undefined && changed.length > 0) arm();
    seen = now;
    ring(changed);
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
type Facts = ReadonlyMap<string, string>;

function differing(before: Facts = new Map<string, string>(), now: Facts): readonly string[] {
  return [...before.keys(), ...now.keys()].filter((path) => before.get(path) !== now.get(path));
}

/** Facts of every YAML file, links followed: updating a mounted ConfigMap replaces a link. */
async function factsBelow(directory: string): Promise<Facts> {
  const found = new Map<string, string>();
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const visits = entries.map(async (entry) => {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) return;
      const path = join(folder, entry.name);
      if (/\.ya?ml$/.test(entry.name)) {
        const facts = await stat(path).catch(() => undefined);
        if (facts !== undefined) found.set(path, `${facts.mtimeMs}:${facts.size}:${facts.ino}`);
      } else if (depth > 0 && (entry.isDirectory() || entry.isSymbolicLink())) await visit(path, depth - 1);
    });
    await Promise.all(visits);
  };
  await visit(directory, 1);
  return found;
}
