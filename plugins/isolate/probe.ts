import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { GatewayError } from 'pegboard';
import { helpedBy } from '../kit/faults/remedy.ts';
import { systemWords } from './mounts.ts';

/** How long a sandbox that only ends may take. */
const PROBE_MS = 10_000;
/** Programs of the system that run inside, the limiter first. */
export const RESET_TERM = ['/usr/bin/env', '--default-signal=TERM'];
export const LIMITER = '/usr/bin/prlimit';

const USER_NAMESPACES =
  'allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1, on Ubuntu an AppArmor profile for bwrap, in a container --security-opt seccomp=unconfined; or run the server elsewhere';

/** The bubblewrap of this machine. */
export interface Bubblewrap {
  readonly path: string;
  /** The words that every sandbox begins with. */
  readonly words: readonly string[];
}

const run = promisify(execFile);

/** Starts an empty sandbox. @throws GatewayError UPSTREAM_UNREACHABLE if there can be none here, with what helps */
export async function probe(): Promise<Bubblewrap> {
  if (process.platform !== 'linux') {
    throw cannot('it needs Linux', 'run the server in a container, or set isolate: none');
  }
  const path = await onPath('bwrap');
  if (path === undefined) throw cannot('bubblewrap is not installed', 'run: apt install bubblewrap');
  const { stdout: help } = await run(path, ['--help']);
  const words = [
    ...['--die-with-parent', '--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts'],
    ...['--unshare-cgroup-try', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ...(help.includes('--disable-userns') ? ['--disable-userns'] : []),
    ...(await systemWords()),
    // Root could write settings of the kernel there.
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--remount-ro', '/proc', '--dev', '/dev'],
  ];
  const empty = ['--unshare-net', '--', LIMITER, '--core=0', '--', ...RESET_TERM, '/usr/bin/true'];
  try {
    await run(path, [...words, ...empty], { env: {}, timeout: PROBE_MS });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const [line = 'bwrap failed'] = stderr.trim().split('\n');
    const isForbidden = /^bwrap: .*(namespace|uid map|Operation not permitted|Permission denied)/i.test(line);
    throw cannot(line, isForbidden ? USER_NAMESPACES : 'install coreutils and util-linux of the system');
  }
  return { path, words };
}

/** Where a program is. */
export async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== '' && isThere) return path;
  }
  return undefined;
}

function cannot(why: string, what: string): GatewayError {
  const text = `isolate: sandbox is not possible on this machine, so the server is not started: ${why}`;
  return helpedBy({ do: 'say', what }, 'UPSTREAM_UNREACHABLE', text);
}
