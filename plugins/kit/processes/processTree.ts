import { spawn } from 'node:child_process';
import type { ChildProcessByStdio, SpawnOptionsWithStdioTuple, StdioPipe } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import crossSpawn from 'cross-spawn';
import { OUT_OF_HANDLES } from '../faults/whyUnread.ts';

const PIPES: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
type Child = ChildProcessByStdio<Writable, Readable, Readable>;
type Options = SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioPipe>;

/** Starts a program such that `killTree` reaches what it starts itself (npx, uvx), with pipes. On Windows `npx` is a script for cmd.exe,
 *  whose arguments need other quotes: cross-spawn finds and writes those.
 *  @throws Error with the code of the system if it cannot begin at all; a missing program is an event `error` of the child */
export function spawnTree(
  [file = '', ...args]: readonly string[],
  { env, cwd }: Pick<Options, 'env' | 'cwd'>,
  platform: NodeJS.Platform = process.platform,
): Child {
  const given: Options = { env, cwd, stdio: PIPES };
  // A process group of Windows would open a window of its own; there the tree is found by its parents.
  const child: Partial<Child> & Pick<Child, 'once'> =
    platform === 'win32'
      ? (crossSpawn(file, args, { ...given, windowsHide: true }) as Child)
      : spawn(file, args, { ...given, detached: true });
  if (child.stdin !== undefined) return child as Child;
  // Node.js makes no pipes then, and says so by an event.
  child.once('error', () => undefined);
  throw Object.assign(new Error(OUT_OF_HANDLES), { code: 'EMFILE' });
}

/** Sends a signal to a program of `spawnTree` and all that it has started. Windows has no signals: SIGTERM does nothing there, because
 *  the end of its input has asked the program to end, and SIGKILL ends the tree.
 *  @param run starts taskkill */
export function killTree(
  pid: number,
  signal: 'SIGTERM' | 'SIGKILL',
  platform: NodeJS.Platform = process.platform,
  run: (file: string, args: readonly string[]) => void = runQuietly,
): void {
  if (platform === 'win32') {
    if (signal === 'SIGKILL') run('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group is empty already.
  }
}

function runQuietly(file: string, args: readonly string[]): void {
  // It says "not found" of a process that has ended meanwhile.
  spawn(file, args, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
}
