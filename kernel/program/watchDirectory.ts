import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';

export interface WatchOptions {
  /** Quiet time after an event before the bell rings. */
  readonly settleMs?: number;
  /** The bell rings this long after the first event even when there is no quiet. */
  readonly atMostMs?: number;
  /** Safety net for events that never come. */
  readonly rescanMs?: number;
}

const LEFT_OUT = new Set(['state', 'node_modules']);

/** A doorbell, not data (decision D16): rings when something below `directory` may have changed, one folder deep.
 *  A watcher goes blind when its folder is removed and made again, so a rescan compares what is there and re-arms it.
 *  The first look rings too: something may have changed before it. @returns the function that ends it */
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
    // The look comes first: what changes after it differs from it.
    void fingerprint(directory).then((now) => {
      seen = now;
      if (!ended) ring();
    });
  };
  const hear = (): void => {
    if (ended) return;
    clearTimeout(settle);
    settle = setTimeout(ringNow, settleMs);
    deadline ??= setTimeout(ringNow, atMostMs);
  };
  const arm = (): void => {
    void watcher?.close();
    const ignored = (path: string): boolean => path !== directory && LEFT_OUT.has(basename(path));
    // The timer below keeps the process alive; a watcher closed while it arms would do so for ever.
    watcher = watch(directory, {
      depth: 1,
      followSymlinks: false,
      ignoreInitial: true,
      ignored,
      persistent: false,
    });
    watcher.on('all', hear);
    watcher.on('error', hear);
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

/** Names, times, sizes and inodes of every YAML file, links followed: a mounted ConfigMap swaps a link. */
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
