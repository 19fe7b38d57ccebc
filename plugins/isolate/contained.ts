import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Confined, Spawned } from '../contracts/servers.ts';
import { helpedBy } from '../kit/faults/remedy.ts';
import type { IsolateConfig } from './config.ts';
import { forPeople } from './forPeople.ts';
import { grantedMounts, isWithin, wrong } from './mounts.ts';
import { limitsOf } from './limitsOf.ts';
import type { Kept, Mount } from './mounts.ts';
import type { Networks } from './networks.ts';
import { onPath } from './probe.ts';

/** Variables of the engine's own program, which has them from Pegboard; the server gets none of these names. */
const OF_ENGINE =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|(LD|DOCKER|CONTAINER|CONTAINERS|PODMAN|XDG|BUILDAH)_\w+)$/;
/** Variables that libraries of the engine's program obey: those of a definition would run its code outside, or tell it where to look. */
const OBEYED =
  /^(GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|LOCPATH|NLSPATH|NIS_PATH|HOSTALIASES|LOCALDOMAIN|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR|BASH_ENV|ENV|SHELLOPTS|GODEBUG|GOTRACEBACK|GOGC|GOMEMLIMIT|GOMAXPROCS|GOCOVERDIR|MALLOC_\w+)$/;
/** Variables that tell the engine what to run or to connect to, or that a shell in its place would run; names with `*` are, for podman,
 *  all of its own that begin so. */
const OF_ENGINES_PARTS =
  /^(STORAGE_\w+|REGISTRY_AUTH_FILE|_(CONTAINERS?|PODMAN|LIBCONTAINER|LIBPOD|CRUN)_\w+|CONMON_\w+|SSH_\w+|DBUS_\w+|NOTIFY_SOCKET|LISTEN_\w+|GNUPGHOME|BASH_FUNC_.*|.*\*)$/;
/** Places outside, which a container does not have. */
const OUTSIDE = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|\w+_CA_BUNDLE|GIT_SSL_CAINFO|UV_\w+|npm_config_\w+)$/i;

export interface ContainerFacts {
  readonly config: IsolateConfig;
  readonly kept: Kept;
  readonly networks: Networks;
}

/** What runs a server in a container. @throws GatewayError CONFIG_INVALID, UPSTREAM_UNREACHABLE with what helps */
export async function contained(
  confined: Confined,
  { config, kept, networks }: ContainerFacts,
): Promise<Spawned> {
  const { server, grants, image, command, folder, env } = confined;
  if (image === undefined) throw wrong('isolate: container has no image', 'write image: name@sha256:…');
  const engine = (await onPath('docker')) ?? (await onPath('podman'));
  if (engine === undefined) {
    const text = 'isolate: container is not possible on this machine, so the server is not started';
    const what = 'install docker or podman, or set isolate: sandbox';
    throw helpedBy({ do: 'say', what }, 'UPSTREAM_UNREACHABLE', `${text}: there is no docker or podman`);
  }
  if (typeof grants.network !== 'string') {
    const text = 'grants.network of the definition lists hosts, which does not hold in a container';
    throw wrong(text, 'write none or all, or set isolate: sandbox');
  }
  const granted = await grantedMounts(grants, kept);
  const paths = granted.map(({ path }) => path);
  if (folder !== undefined && !isWithin(folder, paths))
    throw wrong('cwd of the definition is not granted', 'grant it in grants.files');
  const given = Object.entries(env).filter(
    ([name]) => ![OF_ENGINE, OBEYED, OF_ENGINES_PARTS, OUTSIDE].some((names) => names.test(name)),
  );
  const own = Object.entries(process.env).filter(([name]) => OF_ENGINE.test(name)) as [string, string][];
  const name = `pegboard-${server}-${randomBytes(6).toString('hex')}`;
  networks.confined(confined, forPeople({ how: 'container', image, grants, config, mounts: granted }));
  const { memoryMb, processes, openFiles } = limitsOf('container', grants, config);
  return {
    command: [
      ...[engine, 'run', '--rm', '-i', '--init', '--name', name, '--label', `pegboard.server=${server}`],
      ...(grants.network === 'all' ? [] : ['--network', 'none']),
      ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--tmpfs', `/tmp:rw,exec,size=${config.tmpMb}m`, '--env', 'HOME=/tmp', ...userWords(engine)],
      ...['--pids-limit', processes > 0 ? String(processes) : '-1'],
      ...['--ulimit', `nofile=${openFiles}:${openFiles}`],
      ...(memoryMb > 0 ? ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`] : []),
      ...(grants.cpus === undefined ? [] : ['--cpus', String(grants.cpus)]),
      ...granted.flatMap((mount) => ['--mount', mountWords(mount)]),
      ...(folder === undefined ? [] : ['--workdir', folder]),
      // With their values they would be in the list of processes.
      ...given.flatMap(([variable]) => ['--env', variable]),
      ...[image, ...command],
    ],
    folder: undefined,
    env: { ...Object.fromEntries(given), ...Object.fromEntries(own) },
    ended: () => remove(engine, name),
  };
}

/** The container's user is that of Pegboard, whose files are granted. */
function userWords(engine: string): readonly string[] {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  if (uid === 0) return [];
  const keep = basename(engine) === 'podman' ? ['--userns', 'keep-id'] : [];
  return [...keep, '--user', `${uid}:${gid}`];
}

/** A mount as CSV, in which a path may have commas and quotation marks. */
function mountWords({ path, mode }: Mount): string {
  const fields = ['type=bind', `source=${path}`, `target=${path}`, ...(mode === 'ro' ? ['readonly'] : [])];
  return fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

/** The engine's program may have been killed, which leaves its container running. */
function remove(engine: string, name: string): void {
  const child = spawn(engine, ['rm', '--force', name], { detached: true, stdio: 'ignore' });
  // It was there when the server started.
  child.on('error', () => undefined);
  child.unref();
}
