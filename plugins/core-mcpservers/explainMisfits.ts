import { isObject } from 'pegboard';
import type { Finding, JsonObject } from 'pegboard';
import { isDecoration, reasonFor } from '../kit/clients/entry/leftBehind.ts';
import { EntryFields } from '../kit/clients/entry/entryFields.ts';
import { URL_KEYS, transportOf } from '../kit/clients/entry/transportOf.ts';

/** Keys of clients' files that hold servers by their names. */
const BLOCKS = ['mcpServers', 'servers', 'mcp_servers', 'mcp-servers', 'context_servers'];
const ONE_EACH =
  'that is a client’s block of servers, and here each server has a file of its own; run: pegboard import <file>, or write type, command and the like at the top of this one';

/** What clients call otherwise. */
const OURS: Readonly<Record<string, string>> = {
  ...each(URL_KEYS, 'write url'),
  ...each(['transport', 'transportType', 'transport_type', 'protocol'], 'write type'),
  ...each(['cmd', 'executable', 'program'], 'write command: [executable, argument, ...]'),
  ...each(['environment', 'envs', 'envVars', 'environment_variables'], 'write env: {NAME: value}'),
  ...each(['http_headers', 'httpHeaders', 'requestInit', 'bearerToken'], 'write headers: {NAME: value}'),
  ...each(['envFile', 'env_file', 'envFiles'], 'write its variables as env: {NAME: value}'),
  ...each(['workingDirectory', 'working_directory', 'workingDir', 'working_dir', 'workdir'], 'write cwd'),
  ...each(
    ['disabled', 'isDisabled', 'enabled', 'isActive'],
    'write suspended: true for a server that is off',
  ),
  ...each(['disabledTools', 'disabled_tools', 'exclude_tools'], 'write excludeTools'),
  ...each(['enabledTools', 'enabled_tools', 'allowedTools', 'include_tools'], 'write includeTools'),
};

const SHAPES: Readonly<Record<string, string>> = {
  args: 'write a list, args: [first, second]',
  env: 'write a map, env: {NAME: value}',
  headers: 'write a map, headers: {NAME: value}',
  command: 'write a list, command: [executable, argument, ...]',
};

/** What does not conform to the schema, each with what to write, also for those who know the words of a client. */
export function explainMisfits(misfits: readonly Finding[], spec: JsonObject): readonly Finding[] {
  const block = BLOCKS.find((key) => isObject(spec[key]) || Array.isArray(spec[key]));
  return misfits.flatMap((misfit) => {
    const advice = adviceFor(misfit, spec);
    // A block has all that is missing at the top.
    if (block !== undefined && misfit.path.length === 0) return [];
    if (block !== undefined && misfit.path[0] === block)
      return [{ ...misfit, message: `unknown key "${block}": ${ONE_EACH}` }];
    return [advice === undefined ? misfit : { ...misfit, message: advice }];
  });
}

function adviceFor({ path, message }: Finding, spec: JsonObject): string | undefined {
  const [key = '', ...below] = path.map(String);
  if (message === 'type is required') return `${message}; ${typeFor(spec)}`;
  if (key === 'type') return `${message}; ${typeMeant(spec)}`;
  const seconds = key.toLowerCase().endsWith('timeout') ? secondsIn(spec[key]) : undefined;
  if (seconds !== undefined) return `${message}; it counts seconds: write ${seconds}`;
  if (below.length === 0 && Object.hasOwn(SHAPES, key)) return `${message}; ${SHAPES[key] ?? ''}`;
  if (below.length > 0 || !message.startsWith('unknown key')) return undefined;
  const fix = Object.hasOwn(OURS, key) ? OURS[key] : undefined;
  if (fix !== undefined) return `unknown key "${key}"; ${fix}`;
  const reason = isDecoration(key) ? 'it changes nothing here' : reasonFor(key, true);
  const isKnown = reason !== undefined && reason !== reasonFor('', true);
  return isKnown ? `unknown key "${key}"; leave it out: ${reason}` : undefined;
}

/** The whole seconds that a text such as 30s, 1m or "30" means. */
function secondsIn(said: unknown): number | undefined {
  const [, digits, unit = 's'] = /^(\d+) ?(ms|s|sec|m|min|h)?$/.exec(String(said)) ?? [];
  if (digits === undefined || typeof said !== 'string') return undefined;
  const seconds = { ms: 0.001, s: 1, sec: 1, m: 60, min: 60, h: 3_600 }[unit] ?? 1;
  return Math.ceil(Number(digits) * seconds);
}

function typeFor({ command, url }: JsonObject): string {
  if (command !== undefined) return 'write type: stdio';
  if (url !== undefined) return 'write type: streamable-http, or auto if it may be an older server';
  return 'write type: stdio with command: [executable, argument, ...], or type: streamable-http with url';
}

/** Clients have words of their own for the transports. */
function typeMeant({ type }: JsonObject): string {
  const meant = transportOf(new EntryFields({ type }));
  if (meant === undefined || 'fault' in meant) return 'write stdio for a command, streamable-http for a url';
  return `write ${meant.type === 'auto' ? 'streamable-http, or auto if it may be an older server' : meant.type}`;
}

function each(keys: readonly string[], fix: string): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, fix]));
}
