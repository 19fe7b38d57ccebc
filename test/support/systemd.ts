import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import type { Directory } from './directory.ts';
import { needRoot } from './needRoot.ts';
import { until } from './until.ts';

const SYSTEMD = '/lib/systemd/systemd';

export interface UserManager {
  /** HOME of its user. */
  readonly home: Directory;
  /** Runs a command where systemctl finds the manager. */
  readonly run: (
    ...command: readonly string[]
  ) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Skips the suite aloud where there is no systemd, and for users who cannot mount. */
export function needSystemd(suite: Mocha.Context): void {
  needRoot(suite);
  if (existsSync(SYSTEMD)) return;
  console.log('      SKIPPED: no systemd here; install it with: apt-get install systemd');
  suite.skip();
}

/** A real `systemd --user` on a machine that systemd has not started: it needs a cgroup2 and /run/systemd/system, which only its mount
 *  namespace has. Ends after the test with all its services. */
export async function startUserManager(): Promise<UserManager> {
  const home = makeDirectory();
  const runtime = makeDirectory();
  const env = { HOME: home.path, XDG_RUNTIME_DIR: runtime.path, PATH: process.env['PATH'] ?? '' };
  const setUp = [
    'mount -t tmpfs none /run && mkdir -p /run/systemd/system',
    'umount -R /sys/fs/cgroup 2>/dev/null || true',
    'mount -t cgroup2 none /sys/fs/cgroup',
    `exec ${SYSTEMD} --user`,
  ].join('\n');
  const manager = spawn('unshare', ['--mount', 'sh', '-ec', setUp], { env, stdio: 'ignore' });
  defer(async () => {
    const ended = new Promise((resolve) => manager.once('exit', resolve));
    // Of systemd: stop all services, then exit. Source: https://www.freedesktop.org/software/systemd/man/latest/systemd.html#Signals
    manager.kill('SIGTERM');
    await ended;
  });
  const run: UserManager['run'] = async (...command) => {
    const child = spawn('nsenter', ['--target', String(manager.pid), '--mount', ...command], { env });
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { code, stdout, stderr };
  };
  const isRunning = async (): Promise<boolean> =>
    /running|degraded/.test((await run('systemctl', '--user', 'is-system-running')).stdout);
  await until(isRunning, { what: 'systemd to run', withinMs: 20_000 });
  return { home, run };
}
