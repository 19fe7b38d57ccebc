import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from 'pegboard';

/** What a server may ask of a client. */
export type Topic = 'elicitation' | 'sampling' | 'roots';

/** Longest silence, and longest duration, of a call. */
export interface RequestLimits {
  readonly silenceMs: number;
  readonly totalMs: number;
}

/** Servers of one family share their tools; an argument says which server is meant. */
export interface FamilySpec {
  readonly name: string;
  readonly instanceArg: string;
}

/** `spec` of an MCPServer definition as this plugin uses it. */
export interface ServerDefinition {
  readonly type: 'stdio' | 'streamable-http' | 'sse';
  readonly description: string | undefined;
  readonly toolPrefix: string | undefined;
  readonly family: FamilySpec | undefined;
  /** Patterns on the server's own names of tools; undefined includes all. */
  readonly includeTools: readonly string[] | undefined;
  readonly excludeTools: readonly string[];
  readonly autoStart: boolean | undefined;
  /** Executable and arguments; empty for remote servers. */
  readonly command: readonly string[];
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly callTimeoutMs: number | undefined;
  /** By the server's own names of tools. */
  readonly toolTimeoutsMs: ReadonlyMap<string, number>;
  /** undefined: it runs until it is stopped. */
  readonly idleTimeoutMs: number | undefined;
  /** What it may ask; undefined: what any server may. */
  readonly questions: readonly Topic[] | undefined;
  readonly suspended: boolean;
  readonly restartRequestedAt: string | undefined;
}

/** `spec` as schemas/kinds/mcpserver.schema.json lets it in, defaults filled in; times in seconds. */
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
  readonly url?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly callTimeout?: number;
  readonly callTimeouts?: Readonly<Record<string, number>>;
  readonly idleTimeout?: number;
  readonly questions?: readonly Topic[];
  readonly suspended: boolean;
  readonly restartRequestedAt?: string;
}

/** @param given validated against the kind's schema */
export function readDefinition(given: JsonObject): ServerDefinition {
  const spec = given as unknown as ServerSpec;
  const { command = [], args = [], callTimeouts = {} } = spec;
  return {
    type: spec.type,
    description: spec.description || undefined,
    toolPrefix: spec.toolPrefix,
    family: spec.family,
    includeTools: spec.includeTools,
    excludeTools: spec.excludeTools ?? [],
    autoStart: spec.autoStart,
    command: [command, args].flat(),
    url: spec.url ?? '',
    env: spec.env,
    headers: spec.headers,
    timeoutMs: spec.timeout * 1_000,
    callTimeoutMs: inMs(spec.callTimeout),
    toolTimeoutsMs: new Map(Object.entries(callTimeouts).map(([tool, seconds]) => [tool, seconds * 1_000])),
    idleTimeoutMs: inMs(spec.idleTimeout),
    questions: spec.questions,
    suspended: spec.suspended,
    restartRequestedAt: spec.restartRequestedAt || undefined,
  };
}
function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** Source: D11. */
export function startsByItself({ type, autoStart, suspended }: ServerDefinition): boolean {
  if (suspended) return false;
  return type === 'stdio' ? autoStart === true : autoStart !== false;
}

export interface Order {
  /** Undefined: what runs goes on, what does not stays so. */
  readonly order: 'start' | 'stop' | 'restart' | undefined;
  /** Set when the change asks for the restart. */
  readonly restartRequestedAt: string | undefined;
}

/** The later one of two times; undefined is before any. Source: requirement state.processed. */
export function laterOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Date.parse(b) > Date.parse(a) ? b : a;
}

/** How a server is when its definition changes. */
export interface Standing {
  readonly isWanted: boolean;
  readonly lastRestartedAt: string | undefined;
}

/** What a changed definition asks of its server; another way to reach it is another connection. */
export function orderIn(
  before: ServerDefinition,
  next: ServerDefinition,
  { isWanted, lastRestartedAt }: Standing,
): Order {
  const done = laterOf(lastRestartedAt, before.restartRequestedAt);
  const isNew = laterOf(done, next.restartRequestedAt) !== done;
  const restartRequestedAt = isNew ? next.restartRequestedAt : undefined;
  const give = (order: Order['order']): Order => ({ order, restartRequestedAt });
  if (next.suspended) return give('stop');
  const isAnother = !isDeepStrictEqual(endpointOf(before), endpointOf(next));
  if (isWanted && (isAnother || restartRequestedAt !== undefined)) return give('restart');
  const isSwitchedOn = next.autoStart === true && before.autoStart !== true;
  const isKept = isWanted && before.idleTimeoutMs !== undefined && next.idleTimeoutMs === undefined;
  const isToRun = before.suspended || restartRequestedAt !== undefined || isSwitchedOn || isKept;
  return give(isToRun ? 'start' : undefined);
}

/** What decides which server answers; without values that may be secret it also keys the kept catalogue. */
export function endpointOf(definition: ServerDefinition): readonly unknown[] {
  const { type, command, url, env, headers, questions } = definition;
  return [type, command, url, env, headers, questions];
}

/** How long one call may be silent, and how long it may take. @param tool its server's name of it; undefined for no tool */
export function callLimitsOf(
  tool: string | undefined,
  { callTimeoutMs: own, toolTimeoutsMs }: ServerDefinition,
  { callTimeoutMs, callMaxMs }: { readonly callTimeoutMs: number; readonly callMaxMs: number },
): RequestLimits {
  const silenceMs = toolTimeoutsMs.get(tool ?? '') ?? own ?? callTimeoutMs;
  return { silenceMs, totalMs: Math.max(silenceMs, callMaxMs) };
}

