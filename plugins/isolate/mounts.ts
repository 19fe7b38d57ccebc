import { constants, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, resolve, sep } from 'node:path';
import { GatewayError } from 'pegboard';
import type { Grants } from '../contracts/servers.ts';
import { helpedBy } from '../kit/faults/remedy.ts';

/** A path that a confined process sees, at the same place as outside. */
export interface Mount {
  readonly path: string;
  readonly mode: 'ro' | 'rw';
  /** What was there when it was checked; undefined outside Linux. */
  readonly id: string | undefined;
}

/** Folders of the system, some of which are links into /usr. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** What programs look up in /etc, and that holds no key. */
const ETC = [
  ...['alternatives', 'ca-certificates', 'crypto-policies', 'pki/tls/certs', 'pki/ca-trust', 'ssl/certs'],
  ...['ssl/openssl.cnf', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'timezone', 'mime.types'],
  ...['hosts', 'host.conf', 'gai.conf', 'nsswitch.conf', 'resolv.conf', 'services', 'protocols'],
  ...['passwd', 'group', 'os-release'],
].map((name) => join('/etc', name));

/** Sockets and folders of sockets, with which a process has all rights of the engine. */
const ENGINES = ['docker.sock', 'podman', 'containerd'];

/** Opens a path without reading it; Node.js has no name for it. */
const O_PATH = 0o10000000;

/** Scripts that run scripts. The kernel follows as many. */
const MAX_INTERPRETERS = 4;
/** What a program has beside its folder `bin`; a prefix may hold keys, too. */
const OF_PREFIX = ['lib', 'lib64', 'libexec', 'pyvenv.cfg'];
const WRITTEN_BY_ALL = 0o002;
/** Longest line in which a script names its interpreter. */
const SHEBANG_BYTES = 256;

/** The words of bwrap that show the system read-only. */
export async function systemWords(): Promise<readonly string[]> {
  const folders = await Promise.all(
    SYSTEM.map(async (path) => {
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined) return [];
      return found.isSymbolicLink() ? ['--symlink', await readlink(path), path] : ['--ro-bind', path, path];
    }),
  );
  return [...folders.flat(), ...ETC.flatMap((path) => ['--ro-bind-try', path, path])];
}

/** Whether a path is at or below one of others. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(folder === sep ? sep : folder + sep));
}

/** Whether the sandbox shows a path without a mount of its own. */
export function isOfSystem(path: string): boolean {
  return isWithin(path, [...SYSTEM, ...ETC]);
}

/** Folders whose content no server sees: those of the gateway's configuration and state, as real paths. */
export interface Kept {
  readonly configuration: string;
  readonly state: string;
}

/** The granted files as mounts. @throws GatewayError CONFIG_INVALID that names the field */
export async function grantedMounts({ files = [] }: Grants, kept: Kept): Promise<readonly Mount[]> {
  return Promise.all(
    files.map(async ({ path: given, mode }, at) => {
      const path = resolve(kept.configuration, given);
      const { real, id } = (await seenAt(path)) ?? {};
      const field = `grants.files.${at}.path of the definition`;
      if (real === undefined) throw wrong(`${field} does not exist: ${given}`, 'create it, or correct it');
      // A server that may write beside it could have put the link there.
      if (real !== path) throw wrong(`${field} is or has a symbolic link: ${given}`, 'name where it leads');
      const holder = holderOf(real, mode, kept);
      if (holder === undefined) return { path, mode, id };
      const fix = 'grant a folder elsewhere';
      throw wrong(`${field} would show the server ${holder}: ${given}`, fix);
    }),
  );
}

/** What a path leads to, and its id: of one open file, since a server may exchange the path for a link meanwhile. */
export async function seenAt(
  path: string,
): Promise<(Pick<Mount, 'id'> & { readonly real: string }) | undefined> {
  if (process.platform !== 'linux') {
    const real = await realpath(path).catch(() => undefined);
    return real === undefined ? undefined : { real, id: undefined };
  }
  const handle = await open(path, O_PATH).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { dev, ino } = await handle.stat({ bigint: true });
    return { real: await readlink(`/proc/self/fd/${handle.fd}`), id: `${dev}:${ino}` };
  } finally {
    await handle.close();
  }
}

/** Runs inside, before anything of the server's: bwrap looks the paths up again, and ends if it found something else. */
const COMPARE = `
while [ "$1" != -- ]; do
  if [ "$(/usr/bin/stat -c %d:%i -- "$2")" != "$1" ]; then
    echo "isolate: $2 was exchanged while the server was starting" >&2; exit 1
  fi
  shift 2
done
shift; exec "$@"
`;

/** The words of a command that runs another one if the mounts are what was checked. */
export function comparedWords(mounts: readonly Mount[]): readonly string[] {
  const words = mounts.flatMap(({ path, id }) => (id === undefined ? [] : [id, path]));
  return ['/bin/sh', '-c', COMPARE, 'sh', ...words, '--'];
}

/** What a grant would give away, in words. */
export function holderOf(
  path: string,
  mode: Mount['mode'],
  { configuration, state }: Kept,
): string | undefined {
  const isRead = mode === 'ro' && !isWithin(path, [join(configuration, 'secrets')]);
  if (isWithin(state, [path]) || isWithin(path, [state])) return 'the state directory of Pegboard';
  if (isWithin(configuration, [path]) || (!isRead && isWithin(path, [configuration])))
    return 'the configuration directory of Pegboard';
  const engines = ENGINES.flatMap((name) =>
    ['/run', `/run/user/${process.getuid?.() ?? 0}`].map((at) => join(at, name)),
  );
  if (engines.some((engine) => isWithin(engine, [path]) || isWithin(path, [engine])))
    return 'the socket of a container engine';
  if (isWithin(path, ['/run', '/proc', '/sys', '/dev'])) return 'sockets and devices of the machine';
  return undefined;
}

interface ProgramFacts {
  readonly searchPath: string;
  readonly folder: string;
  readonly kept: Kept;
  /** Folders that the server may write. */
  readonly written: readonly string[];
}

/** The folders of a program and of the interpreters that it names, which the system does not show.
 *  @throws GatewayError UPSTREAM_UNREACHABLE if it does not exist */
export async function programMounts(
  program: string,
  { searchPath, folder, kept, written }: ProgramFacts,
  depth = 0,
): Promise<readonly Mount[]> {
  const found = await lookedUp(program, searchPath, folder);
  if (found === undefined) {
    const what = 'give its full path';
    const text = `command ${program} cannot be run: ${program.includes(sep) ? 'it does not exist' : 'it is not on the PATH'}`;
    throw helpedBy({ do: 'edit', part: 'command', what }, 'UPSTREAM_UNREACHABLE', text);
  }
  const real = await realpath(found);
  // The server could have put there what shows it more.
  if (isWithin(found, written) || isWithin(real, written)) return [];
  const holder = holderOf(real, 'ro', kept);
  if (holder !== undefined) throw wrong(`command would show the server ${holder}`, 'run another program');
  const shown = (await besides(found, real, kept)).filter((path) => !isOfSystem(path));
  const mounts = (await Promise.all(shown.map((path) => readOnly(path, 'command', kept)))).flat();
  const interpreter = await interpreterOf(real);
  if (interpreter === undefined || depth === MAX_INTERPRETERS) return mounts;
  return [...mounts, ...(await programMounts(interpreter, { searchPath, folder, kept, written }, depth + 1))];
}

/** A place that is shown though no grant names it; none if there is nothing.
 *  @throws GatewayError CONFIG_INVALID for one that no grant may name */
export async function readOnly(path: string, what: string, kept: Kept): Promise<readonly Mount[]> {
  const seen = await seenAt(path);
  if (seen === undefined) return [];
  const holder = holderOf(seen.real, 'ro', kept);
  if (holder === undefined) return [{ path, mode: 'ro', id: seen.id }];
  throw wrong(`${what} would show the server ${holder}`, 'name another file');
}

/** The archives of pinned packages that a command names, `file:` before them or not: of the state, those files alone. */
export async function packageMounts(words: readonly string[], { state }: Kept): Promise<readonly Mount[]> {
  const paths = words.map((word) => word.replace(/^file:/, '')).filter((path) => path.startsWith(sep));
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly Mount[]> => {
      const { real = sep, id } = (await seenAt(path)) ?? {};
      if (!isWithin(real, [join(state, 'packages')]) || !(await stat(real)).isFile()) return [];
      return [{ path, mode: 'ro', id }];
    }),
  );
  return found.flat();
}

async function lookedUp(program: string, searchPath: string, folder: string): Promise<string | undefined> {
  const places = program.includes(sep)
    ? [resolve(folder, program)]
    : searchPath.split(delimiter).flatMap((place) => (place === '' ? [] : [join(place, program)]));
  for (const place of places) {
    const found = await stat(place).catch(() => undefined);
    if (found?.isFile() === true && (found.mode & 0o111) !== 0) return place;
  }
  return undefined;
}

/** What a program needs beside it: all of node_modules, the programs and libraries of its prefix, or its folder. */
async function besides(found: string, real: string, kept: Kept): Promise<readonly string[]> {
  const shown = await narrowed(dirname(found), found, kept);
  const modules = `${sep}node_modules`;
  const at = real.indexOf(modules + sep);
  if (at >= 0) return [shown, real.slice(0, at) + modules];
  const folder = dirname(real);
  const own = await narrowed(folder, real, kept);
  const prefix = dirname(folder);
  if (basename(folder) !== 'bin' || own === real || dirname(prefix) === sep) return [shown, own];
  return [shown, own, ...OF_PREFIX.map((name) => join(prefix, name))];
}

/** A folder, or the file alone if the folder holds what is not the program's. */
async function narrowed(folder: string, file: string, { configuration, state }: Kept): Promise<string> {
  const home = homedir();
  const wide = [home, join(home, '.local'), configuration, state];
  const isShared =
    [sep, home].includes(dirname(folder)) ||
    wide.some((path) => isWithin(path, [folder])) ||
    ((await stat(folder)).mode & WRITTEN_BY_ALL) !== 0;
  return isShared && !isOfSystem(folder) ? file : folder;
}

/** The program that runs a script. */
async function interpreterOf(file: string): Promise<string | undefined> {
  // It may have become a pipe, which has no end.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SHEBANG_BYTES), 0, SHEBANG_BYTES, 0);
    const [, first, second] =
      /^#! *(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
    return first === '/usr/bin/env' || first === '/bin/env' ? second : first;
  } finally {
    await handle.close();
  }
}

/** A fault of the definition. */
export function wrong(text: string, what: string): GatewayError {
  return helpedBy({ do: 'edit', what }, 'CONFIG_INVALID', text);
}
