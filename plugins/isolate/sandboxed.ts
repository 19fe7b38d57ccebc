import { mkdir, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Confined, Grants, Spawned } from '../contracts/servers.ts';
import type { IsolateConfig } from './config.ts';
import {
  comparedWords,
  grantedMounts,
  isOfSystem,
  isWithin,
  packageMounts,
  programMounts,
  readOnly,
  wrong,
} from './mounts.ts';
import type { Kept, Mount } from './mounts.ts';
import { forPeople } from './forPeople.ts';
import { limitsOf } from './limitsOf.ts';
import type { Networks } from './networks.ts';
import { LIMITER, RESET_TERM } from './probe.ts';
import type { Bubblewrap } from './probe.ts';
import { PROXY_VARIABLES, relayMounts, relayWords } from './relay.ts';

/** The environment of the programs outside: variables of a definition would run its code there. */
const CLEAN = { PATH: '/usr/bin:/bin' };
/** The home inside. */
const HOME = '/home/server';
const MIB = 1_024 * 1_024;

/** Files of certificates, which TLS needs. */
const CERTIFICATES = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  'GIT_SSL_CAINFO',
];
/** Places of the gateway's user that a sandbox has not: caches, and files that may hold tokens. */
const PLACES = [
  ...['npm_config_cache', 'NPM_CONFIG_CACHE', 'npm_config_userconfig', 'NPM_CONFIG_USERCONFIG'],
  ...['UV_CACHE_DIR', 'UV_CONFIG_FILE'],
];

/** Ends the server whose home grows too large or cannot be measured. Its input ends with the server's process group,
 *  which it is not in: a signal to that group would stop it. */
const WATCH = `
group=$1 home=$2 most=$3 files=$4 every=$5 failed=0
echo on; exec >/dev/null
while timeout "$every" cat; [ $? = 124 ]; do
  if used=$(du -sk "$home" 2>/dev/null) && count=$(du -s --inodes "$home" 2>/dev/null); then
    failed=0; used=\${used%%[!0-9]*} count=\${count%%[!0-9]*}
    [ "$used" -le "$most" ] && [ "$count" -le "$files" ] && continue
    why="its home is larger than $((most / 1024)) MB (homeMb of the plugin isolate)"
    [ "$count" -le "$files" ] || why="its home has more than $files files (homeFiles of the plugin isolate)"
  else
    chmod -R u+rwX "$home" 2>/dev/null; failed=$((failed + 1))
    [ "$failed" -lt 5 ] && continue
    why='the size of its home cannot be measured'
  fi
  timeout 1 /bin/echo "isolate: $why" >&2
  break
done
kill -s KILL -- "-$group" 2>/dev/null
`;

/** Runs outside: SIGTERM is for the server alone, which starts once its home is watched. */
const OUTER = `
trap '' TERM
watch=$1 home=$2 most=$3 files=$4 every=$5; shift 5
on=$(sleep infinity </dev/null 2>/dev/null | setsid /bin/sh -c "$watch" sh "$$" "$home" "$most" "$files" "$every" &)
[ "$on" = on ] || { echo 'isolate: its home cannot be watched' >&2; exit 1; }
exec "$@"
`;

export interface SandboxFacts {
  readonly config: IsolateConfig;
  readonly bubblewrap: Bubblewrap;
  readonly kept: Kept;
  readonly networks: Networks;
}

/** What runs a server in a sandbox. @throws GatewayError CONFIG_INVALID, UPSTREAM_UNREACHABLE with what helps */
export async function sandboxed(
  confined: Confined,
  { config, bubblewrap, kept, networks }: SandboxFacts,
): Promise<Spawned> {
  const { server, grants, command, folder, env } = confined;
  const [program = '', ...rest] = command;
  if (program.includes('=')) throw wrong('command of a sandbox must have no =', 'run it under another name');
  const place = folder ?? process.cwd();
  const granted = await grantedMounts(grants, kept);
  const searchPath = env['PATH'] ?? '';
  const written = granted.filter(({ mode }) => mode === 'rw').map(({ path }) => path);
  const needed = [
    ...(await programMounts(program, { searchPath, folder: place, kept, written })),
    ...(await certificateMounts(env, kept)),
    ...(await packageMounts(rest, kept)),
  ];
  const visible = [...needed, ...granted].map(({ path }) => path);
  const isSeen = (path: string): boolean => isOfSystem(path) || isWithin(path, visible);
  await refuseUnseen(rest, place, isSeen);
  if (folder !== undefined && !isSeen(folder))
    throw wrong('cwd of the definition is not granted', 'grant it in grants.files');
  const home = join(kept.state, 'isolate', encodeURIComponent(server));
  await mkdir(home, { recursive: true, mode: 0o700 });
  const { tmpMb, homeMb, homeFiles, homeCheckSeconds } = config;
  const start = isSeen(place) ? place : HOME;
  const isListed = typeof grants.network !== 'string';
  const { words, carried } = environment({
    ...without(env, (path) => !isSeen(path)),
    HOME,
    TMPDIR: '/tmp',
    PWD: start,
    ...(isListed && PROXY_VARIABLES),
  });
  const tmpfs = ['--size', String(tmpMb * MIB), '--tmpfs'];
  const limiter = [LIMITER, '--core=0', ...limits(grants, config), '--'];
  networks.confined(confined, forPeople({ how: 'sandbox', grants, config, mounts: [...needed, ...granted] }));
  // The last step: what has begun is ended with the process.
  const network = await networks.begin(confined, kept);
  return {
    command: [
      ...[
        '/bin/sh',
        '-c',
        OUTER,
        'sh',
        WATCH,
        home,
        String(homeMb * 1_024),
        String(homeFiles),
        String(homeCheckSeconds),
      ],
      ...[bubblewrap.path, ...bubblewrap.words],
      ...(grants.network === 'all' ? [] : ['--unshare-net']),
      ...[...tmpfs, '/dev/shm', '--remount-ro', '/dev', ...tmpfs, '/tmp'],
      ...needed.flatMap(wordsOf),
      ...[kept.state, kept.configuration].filter(isOfSystem).flatMap((path) => ['--tmpfs', path]),
      ...['--bind', home, HOME],
      ...(network === undefined ? [] : relayMounts(network.path)),
      ...granted.toSorted(outerFirst).flatMap(wordsOf),
      ...['--chdir', start, '--remount-ro', '/', '--'],
      ...comparedWords([...needed, ...granted]),
      ...limiter,
      ...(network === undefined ? [] : relayWords()),
      ...[...RESET_TERM, ...words, ...command],
    ],
    folder: undefined,
    env: { ...CLEAN, ...carried },
    ...(network && { begun: network.begun, ended: network.ended }),
  };
}

/** Words of env that give its program an environment, whose values come under names that no program obeys:
 *  as words they would be in the list of processes. */
function environment(env: Spawned['env']): {
  readonly words: readonly string[];
  readonly carried: Readonly<Record<string, string>>;
} {
  const all = Object.entries(env);
  const carrier = (at: number): string => `PEGBOARD_VARIABLE_${at}`;
  const set = all.map(([name], at) => `'${name.replaceAll(/[\\']/g, '\\$&')}='\${${carrier(at)}}`);
  return {
    words: ['--ignore-environment', `--split-string=-- ${set.join(' ')}`],
    carried: Object.fromEntries(all.map(([, value], at) => [carrier(at), value])),
  };
}

function wordsOf({ path, mode }: Mount): readonly string[] {
  return [mode === 'rw' ? '--bind' : '--ro-bind', path, path];
}

/** Folders before what they hold, which they would hide; of one path twice, the read-only mount is the last. */
function outerFirst(one: Mount, other: Mount): number {
  return one.path.length - other.path.length || (one.mode === 'ro' ? 1 : -1);
}

/** @throws GatewayError CONFIG_INVALID if a limit would not hold */
function limits(grants: Grants, config: IsolateConfig): readonly string[] {
  if (grants.cpus !== undefined)
    throw wrong('grants.cpus does not hold in a sandbox', 'remove it or set isolate: container');
  const { memoryMb, processes, openFiles } = limitsOf('sandbox', grants, config);
  if (processes > 0 && process.getuid?.() === 0) {
    const what = 'run Pegboard as an ordinary user, or write grants: { processes: 0 }';
    throw wrong('the processes of a sandbox have no limit if Pegboard runs as root', what);
  }
  return [
    `--nofile=${openFiles}`,
    `--fsize=${config.homeMb * MIB}`,
    ...(processes > 0 ? [`--nproc=${processes}`] : []),
    ...(memoryMb > 0 ? [`--data=${memoryMb * MIB}`] : []),
  ];
}

/** @throws GatewayError CONFIG_INVALID for a place that no grant may name */
async function certificateMounts(env: Spawned['env'], kept: Kept): Promise<readonly Mount[]> {
  const found = await Promise.all(
    CERTIFICATES.map(async (name): Promise<readonly Mount[]> => {
      const path = env[name] ?? '';
      if (!path.startsWith(sep) || isOfSystem(path)) return [];
      return readOnly(path, `the variable ${name}`, kept);
    }),
  );
  return found.flat();
}

/** Leaves out variables that name a place which is not there. */
function without(env: Spawned['env'], isGone: (path: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !PLACES.includes(name) || !isGone(value)),
  );
}

/** A word that names a file outside is an argument that would be missed. @throws GatewayError CONFIG_INVALID */
async function refuseUnseen(
  words: readonly string[],
  folder: string,
  isSeen: (path: string) => boolean,
): Promise<void> {
  for (const [at, word] of words.entries()) {
    if (!word.includes(sep) || word.startsWith('-')) continue;
    const path = resolve(folder, word);
    if (isSeen(path) || !(await isThere(path))) continue;
    const text = `word ${at + 2} of command and args names a file or folder that the sandbox does not show`;
    throw wrong(text, 'name it in grants.files, too');
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
