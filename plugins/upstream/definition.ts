import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, Resource } from 'pegboard';
import { NAMESPACE_LABEL } from '../contracts/secrets.ts';
import type { Grants, Isolation, TlsSpec } from '../contracts/servers.ts';
import { runnerOf } from '../kit/definitions/runnerOf.ts';
import type { PackageSource } from '../kit/packages/packageIn.ts';
import { isForCallers, readAuthRules } from '../kit/oauth/authRules.ts';
import type { AuthRules } from '../contracts/credentials.ts';
import { ALL_TOPICS } from './client/options.ts';
import type { ServerOptions, Topic } from './client/options.ts';

/** Who has a connection of their own: no one, each session, or each caller. */
export type InstanceMode = 'shared' | 'perSession' | 'perCaller';

const MAX_INSTANCES = 20;
/** They are connections, not processes. */
const MAX_REMOTE_INSTANCES = 5_000;
const MAX_INSTANCES_PER_OWNER = 2;
const INSTANCE_IDLE_MS = 900_000;
/** How long a runner may install, at least: one that is killed meanwhile may leave what no later start mends. */
const RUNNER_START_MS = 300_000;

/** Servers of one family share their tools; an argument selects the server. */
export interface FamilySpec {
  readonly name: string;
  readonly instanceArg: string;
}

/** `spec` of an MCPServer definition as this plugin uses it. */
export interface ServerDefinition extends ServerOptions {
  readonly description: string | undefined;
  readonly toolPrefix: string | undefined;
  readonly family: FamilySpec | undefined;
  /** Patterns that match the server's own tool names; undefined includes all. */
  readonly includeTools: readonly string[] | undefined;
  readonly excludeTools: readonly string[];
  readonly autoStart: boolean | undefined;
  /** Executable and arguments; empty for remote servers. */
  readonly command: readonly string[];
  /** The package that the command runs; undefined: its content is not pinned. */
  readonly source: PackageSource | undefined;
  /** The program that installs the server at its first start, in words; undefined if there is none. */
  readonly runner: string | undefined;
  /** How long a process may take to answer its first request. */
  readonly startTimeoutMs: number;
  /** Folder of the process; undefined: that of Pegboard. */
  readonly cwd: string | undefined;
  /** Undefined: as for all servers. */
  readonly isolate: Isolation | undefined;
  readonly grants: Grants | undefined;
  readonly image: string | undefined;
  /** A stdio server in a pod of its own: it is reached over HTTP, as a remote one. */
  readonly isInPod: boolean;
  readonly url: string;
  /** Where messages to an SSE server are posted, instead of the announced path. */
  readonly messageUrl: string | undefined;
  /** A proxy of its own, or `none`; undefined: as for all servers. */
  readonly proxy: string | undefined;
  /** PEM files for a server at https; undefined: as for all servers. */
  readonly tls: TlsSpec | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: the process runs until it is stopped. */
  readonly idleTimeoutMs: number | undefined;
  /** Whether the next connection continues the session, also of another process. */
  readonly keepSession: boolean;
  readonly auth: AuthRules;
  /** What secrets of callers are, by NAME. */
  readonly secretWords: Readonly<Record<string, string>>;
  readonly instances: InstanceMode;
  readonly maxInstances: number;
  readonly maxInstancesPerOwner: number;
  readonly instanceIdleMs: number;
  /** How many processes are started ahead of their sessions. */
  readonly warmInstances: number;
  /** The questions this server may ask; undefined: those of the plugin's configuration. */
  readonly questions: readonly Topic[] | undefined;
  readonly suspended: boolean;
  readonly restartRequestedAt: string | undefined;
  /** Where its secrets are; undefined: where those of most definitions are. */
  readonly secretNamespace: string | undefined;
}

/** `spec` as schemas/kinds/mcpserver.schema.json accepts it, with defaults; times in seconds. */
interface ServerSpec {
  readonly type: ServerDefinition['type'];
  readonly description?: string;
  readonly toolPrefix?: string;
  readonly family?: FamilySpec;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly autoStart?: boolean;
  readonly command?: readonly string[] | string;
  readonly args?: readonly string[];
  readonly source?: PackageSource;
  readonly cwd?: string;
  readonly isolate?: Isolation;
  readonly grants?: Grants;
  readonly image?: string;
  readonly runsIn?: 'gateway' | 'pod';
  readonly url?: string;
  readonly messageUrl?: string;
  readonly proxy?: string;
  readonly tls?: TlsSpec;
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly startTimeout?: number;
  readonly callTimeout?: number;
  readonly callTimeouts?: Readonly<Record<string, number>>;
  readonly idleTimeout?: number;
  readonly keepSession?: boolean;
  readonly revision?: ServerDefinition['revision'];
  readonly instances?: InstanceMode;
  readonly maxInstances?: number;
  readonly maxInstancesPerOwner?: number;
  readonly instanceIdleTimeout?: number;
  readonly warmInstances?: number;
  readonly questions?: readonly Topic[];
  readonly suspended: boolean;
  readonly restartRequestedAt?: string;
  readonly callerSecrets?: Readonly<Record<string, { readonly description: string }>>;
}

/** @param given validated against the kind's schema @param labels those of the definition */
export function readDefinition(given: JsonObject, labels: Resource['labels'] = {}): ServerDefinition {
  const spec = given as unknown as ServerSpec;
  const { command = [], args = [], callTimeouts = {}, callerSecrets = {} } = spec;
  const secretNamespace = labels[NAMESPACE_LABEL];
  const auth: AuthRules = { ...readAuthRules(given), ...(secretNamespace !== undefined && { isFar: true }) };
  const isPersonal = isForCallers(auth);
  const words = [command, args].flat();
  const engine = spec.isolate === 'container' ? 'docker or podman' : undefined;
  const runner = spec.type === 'stdio' && spec.runsIn !== 'pod' ? (engine ?? runnerOf(words)) : undefined;
  const timeoutMs = spec.timeout * 1_000;
  const isInPod = spec.runsIn === 'pod';
  return {
    type: isInPod ? 'streamable-http' : spec.type,
    description: spec.description || undefined,
    toolPrefix: spec.toolPrefix,
    family: spec.family,
    includeTools: spec.includeTools,
    excludeTools: spec.excludeTools ?? [],
    autoStart: spec.autoStart,
    command: words,
    source: spec.source,
    runner,
    startTimeoutMs: inMs(spec.startTimeout) ?? (runner ? Math.max(RUNNER_START_MS, timeoutMs) : timeoutMs),
    cwd: spec.cwd,
    isolate: spec.isolate,
    grants: spec.grants,
    image: spec.image,
    isInPod,
    url: spec.url ?? '',
    messageUrl: spec.messageUrl,
    proxy: spec.proxy,
    tls: spec.tls,
    env: spec.env,
    headers: spec.headers,
    timeoutMs,
    callTimeoutMs: inMs(spec.callTimeout),
    toolTimeoutsMs: new Map(Object.entries(callTimeouts).map(([tool, seconds]) => [tool, seconds * 1_000])),
    idleTimeoutMs: inMs(spec.idleTimeout),
    keepSession: spec.keepSession ?? false,
    // The bridge in a pod has sessions, each a process.
    revision: isInPod ? 'legacy' : (spec.revision ?? 'auto'),
    auth,
    secretWords: Object.fromEntries(
      Object.entries(callerSecrets).map(([name, { description }]) => [name, description]),
    ),
    instances: spec.instances ?? (isPersonal ? 'perCaller' : 'shared'),
    maxInstances: spec.maxInstances ?? (spec.type === 'stdio' ? MAX_INSTANCES : MAX_REMOTE_INSTANCES),
    maxInstancesPerOwner: spec.maxInstancesPerOwner ?? MAX_INSTANCES_PER_OWNER,
    instanceIdleMs: inMs(spec.instanceIdleTimeout) ?? INSTANCE_IDLE_MS,
    warmInstances: spec.warmInstances ?? 0,
    questions: spec.questions,
    suspended: spec.suspended,
    restartRequestedAt: spec.restartRequestedAt || undefined,
    secretNamespace,
  };
}
function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** A server that was started or restarted on request runs until it is suspended, also in another process. Source: D11. */
export function startsByItself(definition: ServerDefinition): boolean {
  const { type, autoStart, suspended, restartRequestedAt } = definition;
  if (suspended) return false;
  if (restartRequestedAt !== undefined) return true;
  return type === 'stdio' ? autoStart === true : autoStart !== false;
}

export interface Order {
  /** Undefined: the server keeps its state. */
  readonly order: 'start' | 'stop' | 'restart' | undefined;
  /** Set if the change itself requests the restart. */
  readonly restartRequestedAt: string | undefined;
}

/** The later of two times; undefined counts as earlier than any. Source: requirement state.processed. */
export function laterOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Date.parse(b) > Date.parse(a) ? b : a;
}

/** Now, or just after `former` if that was written by a clock that is ahead. */
export function timeAfter(former: string | undefined): string {
  const earliest = former === undefined ? 0 : Date.parse(former) + 1;
  return new Date(Math.max(Date.now(), earliest)).toISOString();
}

/** State of a server when its definition changes. */
export interface CarriedState {
  readonly isWanted: boolean;
  readonly lastRestartedAt: string | undefined;
}

/** What a changed definition means for its server: a changed endpoint needs a new connection. */
export function orderIn(
  before: ServerDefinition,
  next: ServerDefinition,
  { isWanted, lastRestartedAt }: CarriedState,
): Order {
  const done = laterOf(lastRestartedAt, before.restartRequestedAt);
  const isNew = laterOf(done, next.restartRequestedAt) !== done;
  const restartRequestedAt = isNew ? next.restartRequestedAt : undefined;
  const give = (order: Order['order']): Order => ({ order, restartRequestedAt });
  if (next.suspended) return give('stop');
  const isAnother = !isDeepStrictEqual(identifyingFields(before), identifyingFields(next));
  if (isWanted && (isAnother || restartRequestedAt !== undefined)) return give('restart');
  const isSwitchedOn = next.autoStart === true && before.autoStart !== true;
  const isKept = isWanted && before.idleTimeoutMs !== undefined && next.idleTimeoutMs === undefined;
  const isToRun = before.suspended || restartRequestedAt !== undefined || isSwitchedOn || isKept;
  return give(isToRun ? 'start' : undefined);
}

/** The fields that identify the server; without secret values they also key the stored catalogue. */
export function identifyingFields(definition: ServerDefinition): readonly unknown[] {
  const { type, command, source, cwd, url, messageUrl, proxy, tls, env, headers } = definition;
  const { questions, revision, auth, isolate, grants, image, isInPod } = definition;
  const endpoint = [type, command, url, proxy, tls, env, headers, questions, revision, auth];
  // Absent ones leave the keys of stored catalogues as they are.
  return [
    ...endpoint,
    ...(cwd === undefined ? [] : [cwd]),
    ...(source === undefined ? [] : [source]),
    ...(messageUrl === undefined ? [] : [messageUrl]),
    ...(isolate === undefined ? [] : [{ isolate }]),
    ...(grants === undefined ? [] : [{ grants }]),
    ...(image === undefined ? [] : [{ image }]),
    ...(isInPod ? [{ isInPod }] : []),
  ];
}

/** What an instance may ask. @param client what its client declares; undefined if it is not known, or may change */
export function instanceTopics(
  { questions }: ServerDefinition,
  client: JsonObject | undefined,
): readonly Topic[] {
  const topics = questions ?? ALL_TOPICS;
  return client === undefined ? topics : topics.filter((topic) => client[topic] !== undefined);
}
