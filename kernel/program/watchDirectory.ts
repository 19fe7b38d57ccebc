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
}

const LEFT_OUT = new Set(['state', 'node_modules', 'tokens']);

/** A trigger without data (decision D16): calls `ring` when something below `directory` may have changed, one folder deep.
 *  A watcher misses events after its folder was removed and created again, so a rescan compares the files and re-arms it.
 *  The first scan rings too, because something may have changed before it. @returns the function that ends it */
export function watchDirectory(
  directory: string,
  ring: () => void,
  options: WatchOptions = {},
): () => Promise<void> {
  const { settleMs = 50, atMostMs = 400, rescanMs = 700 } = options;
  let watcher: FSWatcher | undefined;
  let settle: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let seen: string | undefined;
  let ended = false;

  const ringNow = (): void => {
    clearTimeout(settle);
    clearTimeout(deadline);
    settle = deadline = undefined;
    // The fingerprint is taken first, so that any later change differs from it.
    void fingerprint(directory).then((now) => {
      seen = now;
      if (!ended) ring();
    });
  };
  const onEvent = (): void => {
    if (ended) return;
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
    watcher.on('all', onEvent);
    watcher.on('error', onEvent);
  };
  const rescan = async (): Promise<void> => {
    const now = await fingerprint(directory);
    if (ended || settle !== undefined) return;
    if (now === seen) return;
    if (seen !== undefined) arm();
    seen = now;
    ring();
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

/** Names, times, sizes and inodes of every YAML file, links followed: updating a mounted ConfigMap replaces a link. */
async function fingerprint(directory: string): Promise<string> {
  const parts: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const visits = entries.map(async (entry) => {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) return;
      const path = join(folder, entry.name);
      if (/\.ya?ml$/.test(entry.name)) {
        const facts = await stat(path).catch(() => undefined);
        if (facts !== undefined) parts.push(`${path}:${facts.mtimeMs}:${facts.size}:${facts.ino}`);
      } else if (depth > 0 && (entry.isDirectory() || entry.isSymbolicLink())) await visit(path, depth - 1);
    });
    await Promise.all(visits);
  };
  await visit(directory, 1);
  return parts.sort().join('\n');
}
