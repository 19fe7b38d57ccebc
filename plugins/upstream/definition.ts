import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GatewayError, isObject, messageOf } from 'pegboard';
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

/** @param spec validated against the kind's schema */
export function readDefinition(spec: JsonObject): ServerDefinition {
  const { command, args, timeout, callTimeout, idleTimeout } = spec;
  const head = typeof command === 'string' ? [command] : strings(command);
  const type = spec['type'];
  return {
    type: type === 'streamable-http' || type === 'sse' ? type : 'stdio',
    description: text(spec['description']),
    toolPrefix: text(spec['toolPrefix']),
    family: familyIn(spec['family']),
    includeTools: Array.isArray(spec['includeTools']) ? strings(spec['includeTools']) : undefined,
    excludeTools: strings(spec['excludeTools']),
    autoStart: typeof spec['autoStart'] === 'boolean' ? spec['autoStart'] : undefined,
    command: [...head, ...strings(args)],
    url: text(spec['url']) ?? '',
    env: stringMap(spec['env']),
    headers: stringMap(spec['headers']),
    timeoutMs: (typeof timeout === 'number' ? timeout : 30) * 1_000,
    callTimeoutMs: typeof callTimeout === 'number' ? callTimeout * 1_000 : undefined,
    toolTimeoutsMs: toolTimeouts(spec['callTimeouts']),
    idleTimeoutMs: typeof idleTimeout === 'number' ? idleTimeout * 1_000 : undefined,
    questions: Array.isArray(spec['questions']) ? (spec['questions'] as readonly Topic[]) : undefined,
    suspended: spec['suspended'] === true,
    restartRequestedAt: text(spec['restartRequestedAt']),
  };
}

/** Source: decision D11. */
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

/** The later one of two times; undefined is before any. Source: interface.md, restartRequestedAt */
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

function toolTimeouts(given: unknown): ReadonlyMap<string, number> {
  const seconds = Object.entries(isObject(given) ? given : {});
  return new Map(seconds.map(([tool, value]) => [tool, Number(value) * 1_000]));
}

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;

/** Fills `${env:NAME}` and `${file:PATH}`; relative paths start at `directory`.
 *  @throws GatewayError CONFIG_REFERENCE naming the reference, never a value */
export function resolveReferences(
  values: Readonly<Record<string, string>>,
  where: string,
  directory: string,
): Record<string, string> {
  const resolved = Object.entries(values).map(([key, value]) => {
    const filled = value.replace(REFERENCE, (_, kind: string, name: string) =>
      kind === 'env'
        ? fromEnvironment(name, `${where}.${key}`)
        : fromFile(resolve(directory, name), `${where}.${key}`),
    );
    return [key, filled] as const;
  });
  return Object.fromEntries(resolved);
}

function fromEnvironment(name: string, where: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  throw new GatewayError(
    'CONFIG_REFERENCE',
    `${where} names the environment variable ${name}, which is not set; set it and restart Pegboard`,
  );
}

/** Far more than any key or certificate. */
const MAX_FILE_BYTES = 1_048_576;

function fromFile(path: string, where: string): string {
  try {
    const facts = statSync(path);
    // A pipe or a device would be waited for, and everybody with it.
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > MAX_FILE_BYTES) throw new Error(`it has over ${MAX_FILE_BYTES} bytes`);
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const text = `${where} names the file ${path}, which cannot be read: ${messageOf(error)}`;
    throw new GatewayError('CONFIG_REFERENCE', text, { cause: error });
  }
}

function familyIn(value: unknown): FamilySpec | undefined {
  const { name, instanceArg } = (value ?? {}) as Partial<FamilySpec>;
  return name === undefined || instanceArg === undefined ? undefined : { name, instanceArg };
}
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
function stringMap(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
