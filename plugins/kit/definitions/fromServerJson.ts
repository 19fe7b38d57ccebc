import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import { refuseUnset, settableIn } from './refuseUnset.ts';
import { fillInput, fillTemplate, objects, ownAt, refuseMissing } from './serverInputs.ts';
import type { Missing, Values } from './serverInputs.ts';
import { packageSpec, runnerOf } from './serverPackage.ts';
import type { PackageSpec } from './serverPackage.ts';

export interface Given {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Those of --set. */
  readonly values?: Values;
  readonly transport?: string;
  /** The registryType to take. */
  readonly package?: string;
  /** Whether a program can be run; absent: all can. */
  readonly has?: (program: string) => boolean;
}
export interface Described {
  readonly name: string;
  readonly spec: JsonObject;
  /** What the user should know. */
  readonly notes?: readonly string[];
}

/** Optional values that are named. */
const SHOWN = 6;
const REGISTRY_TYPES: Readonly<Record<string, string>> = {
  docker: 'oci',
  pip: 'pypi',
  python: 'pypi',
  node: 'npm',
};

/** The definition of the server that a server.json of the MCP registry describes: the first of its packages that speaks stdio, and whose
 *  runner is there, otherwise its first remote. Older schemas, and answers of the registry's API, are read too.
 *  Source: https://github.com/modelcontextprotocol/registry, docs/reference/server-json @throws Failure */
export function fromServerJson(server: JsonObject, file: string, given: Given): Described {
  const { name, description } = server;
  if (typeof name !== 'string')
    throw new Failure(`${file} has no "name"; is it a server.json of the MCP registry?`);
  const about = typeof description === 'string' ? { description } : {};
  const packages = objects(server['packages']).map(renamed);
  const remotes = objects(server['remotes']);
  const isRemote =
    given.transport !== undefined && given.transport !== 'stdio' && given.package === undefined;
  const chosen = isRemote ? undefined : packageIn(packages, given);
  const remote =
    given.package === undefined && given.transport !== 'stdio' ? remoteIn(remotes, given) : undefined;
  const values = given.values ?? {};
  const described = chosen ?? remote;
  if (described !== undefined) refuseUnset(values, settableIn(described), file);
  const found = chosen
    ? packageSpec(chosen, { env: given.env, values })
    : remote && remoteSpec(remote, { ...given, values });
  if (found === undefined) throw nothingIn(file, packages, remotes);
  const runner = chosen && runnerOf(chosen);
  const isAbsent = runner !== undefined && given.has?.(runner) === false;
  const notes = [
    ...(isAbsent ? [`${runner} is not installed here; the gateway needs it`] : []),
    ...(found.open.length > 0 ? [`optional, and not set: ${listed(found.open)}`] : []),
  ];
  return {
    name: shortName(name),
    spec: { ...about, ...found.spec },
    ...(notes.length > 0 && { notes }),
  };
}

/** The server of a file or of an answer of the registry's API, which has it below `server`, or in a list of one, in the words of today's schema. */
export function unwrapped(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [only, ...others] = objects(value['servers']);
  const one = only !== undefined && others.length === 0 ? only : value;
  return inCamelCase(isObject(one['server']) ? one['server'] : one);
}

/** Older schemas write `registry_type` for `registryType`. Names of variables stay as they are. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const isMap = key === 'variables' && isObject(inner);
      const entries = isMap ? Object.entries(inner).map(([id, one]) => [id, inCamelCase(one)]) : [];
      return [name, isMap ? Object.fromEntries(entries) : inCamelCase(inner)];
    }),
  );
}

/** The first schema said `registry_name` and `name`. */
function renamed(one: JsonObject): JsonObject {
  const type = String(one['registryType'] ?? one['registryName']);
  return {
    ...one,
    registryType: ownAt(REGISTRY_TYPES, type) ?? type,
    identifier: one['identifier'] ?? one['name'],
  };
}

function packageIn(packages: readonly JsonObject[], { package: wanted, has }: Given): JsonObject | undefined {
  const type = wanted === undefined ? undefined : (ownAt(REGISTRY_TYPES, wanted) ?? wanted);
  const usable = packages.filter(
    (one) =>
      runnerOf(one) !== undefined && isStdio(one) && (type === undefined || one['registryType'] === type),
  );
  return usable.find((one) => has?.(runnerOf(one) ?? '') !== false) ?? usable[0];
}

function isStdio({ transport }: JsonObject): boolean {
  return !isObject(transport) || transport['type'] === undefined || transport['type'] === 'stdio';
}

function remoteIn(remotes: readonly JsonObject[], { transport }: Given): JsonObject | undefined {
  const typed = remotes.map((one): JsonObject => ({ ...one, type: one['type'] ?? one['transportType'] }));
  return typed.find(({ type }) => transport === undefined || type === transport);
}

function remoteSpec(
  remote: JsonObject,
  { headers: typed, values }: { readonly headers: Readonly<Record<string, string>>; readonly values: Values },
): PackageSpec {
  const { type, url: template } = remote;
  if (typeof template !== 'string' || (type !== 'streamable-http' && type !== 'sse'))
    throw new Failure('the first remote needs a "url", and the "type" streamable-http or sse');
  const filled = fillTemplate(template, { ...remote, isRequired: true }, { typed: values, flag: '' });
  const missing: Missing[] = [];
  if (filled === undefined || 'missing' in filled) {
    const names = [...template.matchAll(/\{([\w.-]+)\}/g)].map(([, name]) => name ?? '');
    const [name = ''] = names.filter((one) => ownAt(values, one) === undefined);
    const known = (filled?.missing ?? []).filter(({ flag }) => flag !== '');
    if (known.length === 0)
      throw new Failure(`its URL ${template} needs a value for ${name}; use: pegboard add <name> <url>`);
    missing.push(...known);
  }
  const open: string[] = [];
  const headers: Record<string, string> = { ...typed };
  for (const input of objects(remote['headers'])) {
    const key = String(input['name']);
    const own = Object.hasOwn(headers, key) ? { ...values, [key]: [headers[key] ?? ''] } : values;
    const one = fillInput(input, { typed: own, names: [key], flag: `--header ${key}=…` });
    if (one === undefined) open.push(`--header ${key}=…`);
    else if ('missing' in one) missing.push(...one.missing);
    else headers[key] = one.texts[0] ?? '';
  }
  refuseMissing(missing);
  const url = filled !== undefined && 'texts' in filled ? filled.texts[0] : template;
  return { spec: { type, url, ...(Object.keys(headers).length > 0 && { headers }) }, open };
}

function nothingIn(file: string, packages: readonly JsonObject[], remotes: readonly JsonObject[]): Failure {
  const types = packages.map(({ registryType }) => String(registryType)).join(', ');
  const local = packages.find((one) => runnerOf(one) !== undefined && !isStdio(one));
  const { url } = (local?.['transport'] ?? {}) as JsonObject;
  if (local !== undefined && remotes.length === 0)
    return new Failure(
      `its package ${String(local['identifier'])} listens itself instead of speaking stdio; start it, and use: pegboard add <name> ${typeof url === 'string' ? url : '<url>'}`,
    );
  const bundle = packages.find(({ registryType }) => registryType === 'mcpb');
  const fix =
    bundle === undefined
      ? 'install it and use: pegboard add <name> -- <command>'
      : `download and unzip ${String(bundle['identifier'])}, and use: pegboard add <its folder>/manifest.json`;
  return new Failure(
    `${file} has no remote, and no stdio package of npm, pypi or oci${types === '' ? '' : `, only ${types}`}${remotes.length > 0 ? ' that was asked for' : ''}; ${fix}`,
  );
}

/** The first of many. */
function listed(flags: readonly string[]): string {
  const more = flags.length - SHOWN;
  return `${flags.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `io.github.acme/weather` → `weather` */
function shortName(name: string): string {
  return (name.split('/').at(-1) ?? name).replaceAll(/[^\w.-]+/g, '-');
}
