import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';

export interface Given {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}
export interface Described {
  readonly name: string;
  readonly spec: JsonObject;
}

/** Words that start a package, by registryType. */
const RUNNERS: Readonly<Record<string, (one: JsonObject, env: readonly string[]) => readonly string[]>> = {
  npm: (one) => ['npx', ...extra(one), '-y', versioned(one, '@')],
  pypi: (one) => ['uvx', ...extra(one), versioned(one, '==')],
  oci: (one, env) => [
    ...['docker', 'run', '-i', '--rm'],
    ...env.flatMap((name) => ['-e', name]),
    ...extra(one),
    versioned(one, ':'),
  ],
};

/** The definition of the server that a server.json of the MCP registry describes: its first package of npm, PyPI or a container
 *  registry that speaks stdio, otherwise its first remote.
 *  Source: https://github.com/modelcontextprotocol/registry, docs/reference/server-json @throws Failure */
export function fromServerJson(text: string, file: string, given: Given): Described {
  const server = readServer(text, file);
  const { name, description } = server;
  if (typeof name !== 'string')
    throw new Failure(`${file} has no "name"; is it a server.json of the MCP registry?`);
  const about = typeof description === 'string' ? { description } : {};
  const packages = objects(server['packages']);
  const usable = packages.find(
    ({ registryType, transport }) =>
      Object.hasOwn(RUNNERS, String(registryType)) && (!isObject(transport) || transport['type'] === 'stdio'),
  );
  const [remote] = objects(server['remotes']);
  const spec = usable === undefined ? remote && remoteSpec(remote, given) : packageSpec(usable, given);
  if (spec !== undefined) return { name: shortName(name), spec: { ...about, ...spec } };
  const types = packages.map(({ registryType }) => String(registryType)).join(', ');
  throw new Failure(
    `${file} has no remote, and no stdio package of npm, pypi or oci${types === '' ? '' : `, only ${types}`}; install it and use: pegboard add <name> -- <command>`,
  );
}

/** Answers of the registry's API hold the server below `server`. */
function readServer(text: string, file: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure(`${file} is not valid JSON: ${(error as Error).message}`);
  }
  const inner = isObject(value) && isObject(value['server']) ? value['server'] : value;
  if (isObject(inner)) return inner;
  throw new Failure(`${file} must hold a JSON object: a server.json of the MCP registry`);
}

function packageSpec(one: JsonObject, { env: given }: Given): JsonObject {
  const env = valuesOf(objects(one['environmentVariables']), given, '--env');
  const names = Object.keys(env);
  const run = RUNNERS[String(one['registryType'])]?.(one, names) ?? [];
  const command = [...run, ...words(objects(one['packageArguments']), run)];
  return { type: 'stdio', command, ...(names.length > 0 && { env }) };
}

function remoteSpec({ type, url, headers: wanted }: JsonObject, { headers: given }: Given): JsonObject {
  if (typeof url !== 'string' || (type !== 'streamable-http' && type !== 'sse'))
    throw new Failure('the first remote needs a "url", and the "type" streamable-http or sse');
  const open = /\{(\w+)\}/.exec(url)?.[1];
  if (open !== undefined)
    throw new Failure(`its URL ${url} needs a value for ${open}; use: pegboard add <name> <url>`);
  const headers = valuesOf(objects(wanted), given, '--header');
  return { type, url, ...(Object.keys(headers).length > 0 && { headers }) };
}

/** @throws Failure naming all required values that are missing */
function valuesOf(
  wanted: readonly JsonObject[],
  given: Readonly<Record<string, string>>,
  flag: string,
): Record<string, string> {
  const values: Record<string, string> = { ...given };
  const missing: string[] = [];
  for (const { name, value, default: preset, isRequired, description } of wanted) {
    const key = String(name);
    const fixed = [value, preset].find((one) => typeof one === 'string' && !/\{\w+\}/.test(one));
    if (Object.hasOwn(values, key)) continue;
    if (typeof fixed === 'string') values[key] = fixed;
    else if (isRequired === true)
      missing.push(`  ${flag} ${key}=…  ${typeof description === 'string' ? description : ''}`.trimEnd());
  }
  if (missing.length === 0) return values;
  throw new Failure(
    `the server needs values (\${env:NAME} reads the gateway's environment, if references.allow there has env:NAME):\n${missing.join('\n')}`,
  );
}

function extra(one: JsonObject): readonly string[] {
  return words(objects(one['runtimeArguments']), []).filter((word) => !['-y', '-i', '--rm'].includes(word));
}

/** @param before the words before these, for the message */
function words(args: readonly JsonObject[], before: readonly string[]): readonly string[] {
  return args.flatMap((argument) => {
    const { type, name, value, default: preset, isRequired, valueHint, description } = argument;
    const fixed = [value, preset].find((one) => typeof one === 'string' && !/\{\w+\}/.test(one));
    const flag = type === 'named' && typeof name === 'string' ? [name] : [];
    if (typeof fixed === 'string') return [...flag, fixed];
    const takesValue = [value, valueHint].some((one) => typeof one === 'string') || flag.length === 0;
    if (isRequired !== true) return [];
    if (!takesValue) return flag;
    const what = [valueHint, name, description].find((one) => typeof one === 'string') ?? 'an argument';
    const line = [...before, ...flag, '<value>'].join(' ');
    throw new Failure(`the server needs a value for ${what}; use: pegboard add <name> -- ${line}`);
  });
}

function versioned({ identifier, version }: JsonObject, sign: string): string {
  const name = String(identifier);
  const isPinned = sign === ':' ? /[:@]./.test(name.slice(name.lastIndexOf('/') + 1)) : false;
  return typeof version !== 'string' || version === '' || isPinned ? name : `${name}${sign}${version}`;
}

/** `io.github.acme/weather` → `weather` */
function shortName(name: string): string {
  return (name.split('/').at(-1) ?? name).replaceAll(/[^\w.-]+/g, '-');
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : [];
}
