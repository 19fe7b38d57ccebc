import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isObject } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import type { ClientEntry } from './clientFile.ts';
import { commandOf, passedOn } from './commandOf.ts';
import type { Command } from './commandOf.ts';
import type { ClientPlace } from './places.ts';
import { timesOf } from './timesOf.ts';
import type { Times } from './timesOf.ts';
import { isSwitchedOff, looksLikeSse, transportOf } from './transportOf.ts';
import type { Transport } from './transportOf.ts';

const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^{}]*))?\}/g;
/** A value that is one variable, with or without a scheme. */
const WHOLE = /^((?:Bearer |Basic |Token )?)\$([A-Za-z_]\w*)$/;
/** What Pegboard alone would fill; to the clients it is text. */
const FOREIGN = /\$\{(?:file|secret|caller):[^{}]+\}/;
/** Programs that fetch what they run, so that their folder matters only if a word names something in it. */
const FETCHING = /^(npx|bunx|uvx|pipx|docker|podman)(\.cmd|\.exe)?$/;
const FOLDER_KEYS = ['cwd', 'workingDirectory', 'working_directory', 'working_dir', 'workdir'];
const HARMLESS = /^(HOME|USER|PWD|XDG_\w+|\w*(DIR|PATH|ROOT|FOLDER|HOST|PORT))$/i;

type Texts = Readonly<Record<string, string>>;

/** Keys of a definition. */
export interface ToolLimits {
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

/** A server as a client's file describes it, in Pegboard's words. Its literal secrets are still in it. */
export interface Server {
  readonly type: 'stdio' | 'streamable-http' | 'sse';
  /** stdio only. */
  readonly command?: readonly string[];
  /** stdio only: the folder in which it runs, if its entry says so, or a word of the command names something there. */
  readonly cwd?: string;
  /** stdio only: the folder of its project, in which its client runs it; undefined: it does not matter. */
  readonly projectFolder?: string;
  /** Remote only. */
  readonly url?: string;
  readonly env: Texts;
  readonly headers: Texts;
  readonly limits: ToolLimits;
  readonly times: Times;
  readonly description?: string;
  /** What the operator should know or do. */
  readonly notes: readonly string[];
}
interface Skipped {
  readonly skipped: string;
}

/** Understands the spellings of all known clients, which differ in the names of keys only. */
export function serverOfEntry(
  { name, place, value: given }: ClientEntry,
  surroundings: Env,
): Server | Skipped {
  // Cline CLI writes what it starts, or where it connects, one level deeper.
  const value = isObject(given['transport']) ? { ...given, ...given['transport'] } : given;
  const command = commandOf(value);
  const transport = transportOf(value);
  const url = ['httpUrl', 'url', 'serverUrl', 'uri'].map((key) => value[key]).find(isText);
  const fault = faultOf(name, { command, transport }, place) ?? foreignIn(value);
  if (fault !== undefined) return { skipped: fault };
  if (isSwitchedOff(value)) return { skipped: 'switched off' };
  const notes: string[] = [];
  const refer = (text: string): string => referencesIn(text, surroundings, notes);
  const translate = (text: string): string => refer(text.replace(WHOLE, '$1${$2}'));
  const expand = (text: string): string => expanded(text, surroundings, place);
  const { description } = value;
  const more = {
    limits: limitsOf(value),
    times: timesOf(value, place.client),
    ...(isText(description) && { description }),
    notes,
  };
  const isRemote = url !== undefined && (command === undefined || isRemoteType(transport));
  if (command !== undefined && 'words' in command && !isRemote) {
    if (url !== undefined) notes.push('its URL is left behind, because its command is used');
    if (command.note !== undefined) notes.push(command.note);
    const words = command.words.map(expand);
    const cwd = folderOf(value, place, words, expand);
    const run = {
      command: words.map(refer),
      ...(cwd !== undefined && { cwd: refer(cwd) }),
      ...(isInProject(place, words) && { projectFolder: place.folder }),
    };
    const named = { ...forwarded(value), ...referring(passedOn(words)) };
    const env = mapped({ ...named, ...textsOf(value, ['env', 'environment', 'envs']) }, translate);
    return { type: 'stdio', ...run, env, headers: {}, ...more };
  }
  if (url === undefined) return { skipped: 'neither a command nor a URL' };
  const at = translate(expand(url));
  if (!/^(https?:\/\/|\$\{env:)/.test(at))
    return { skipped: 'the URL does not begin with http:// or https://' };
  const type = isRemoteType(transport) ? transport.type : looksLikeSse(at) ? 'sse' : 'streamable-http';
  return { type, url: at, env: {}, headers: mapped(headersOf(value), translate), ...more };
}

/** Why an entry is left out, apart from what its values hold. */
function faultOf(
  name: string,
  { command, transport }: { readonly command: Command | undefined; readonly transport: Transport },
  { scope, folder }: ClientPlace,
): string | undefined {
  if (
    name === 'pegboard' ||
    (command && 'words' in command && command.words[0]?.endsWith('pegboard') === true)
  )
    return 'Pegboard itself';
  if (scope === 'project' && !existsSync(folder)) return `its project folder ${folder} is gone`;
  if (command !== undefined && 'fault' in command) return command.fault;
  if (command === undefined && transport !== undefined && 'unknown' in transport)
    return `its transport ${transport.unknown} is not one of MCP`;
  return undefined;
}

function foreignIn(value: JsonObject): string | undefined {
  const [reference] = FOREIGN.exec(JSON.stringify(value)) ?? [];
  return reference === undefined
    ? undefined
    : `it holds ${reference}, which is text to its client and a reference to Pegboard`;
}

function isRemoteType(transport: Transport): transport is { readonly type: 'streamable-http' | 'sse' } {
  return transport !== undefined && 'type' in transport && transport.type !== 'stdio';
}

/** The folder that an entry names, or its project's if a word of the command names something there. */
function folderOf(
  value: JsonObject,
  place: ClientPlace,
  words: readonly string[],
  expand: (text: string) => string,
): string | undefined {
  const said = FOLDER_KEYS.map((key) => value[key]).find(isText);
  if (said !== undefined) {
    const folder = expand(said).replace(/^~(?=\/|$)/, expand('${userHome}'));
    return folder.startsWith('${') ? folder : resolve(place.folder, folder);
  }
  const isTied = isOfProject(place) && words.some((word) => isBelow(place.folder, word));
  return isTied ? place.folder : undefined;
}

/** Tools that the client offers or hides: Gemini CLI, Codex, Copilot CLI, Goose, for which an empty list means all, and Windsurf. */
export function limitsOf(value: JsonObject): ToolLimits {
  const [include, exclude] = [
    [
      'includeTools',
      'enabled_tools',
      'enabledTools',
      'tools',
      'allowedTools',
      'allowed_tools',
      'available_tools',
    ],
    ['excludeTools', 'disabled_tools', 'disabledTools'],
  ].map((keys) => keys.map((key) => listOf(value[key])).find((names) => names.length > 0));
  return {
    ...(include?.includes('*') === false && { includeTools: include }),
    ...(exclude && { excludeTools: exclude }),
  };
}

function headersOf(value: JsonObject): Texts {
  const { requestOptions: options, bearer_token_env_var: bearer } = value;
  return {
    ...textsOf(isObject(options) ? options : {}, ['headers']),
    ...textsOf(value, ['headers', 'http_headers', 'httpHeaders', 'customHeaders']),
    ...mapped(textsOf(value, ['env_http_headers']), (name) => `\${env:${name}}`),
    ...(isText(bearer) && { Authorization: `Bearer \${env:${bearer}}` }),
    ...(isText(value['bearerToken']) && { Authorization: `Bearer ${value['bearerToken']}` }),
  };
}

/** Variables that Codex (`env_vars`, also as `{name}`) and Goose (`env_keys`) pass on by name. */
function forwarded(value: JsonObject): Texts {
  const vars = Array.isArray(value['env_vars']) ? (value['env_vars'] as unknown[]) : [];
  const named = vars.map((one) => (isObject(one) ? one['name'] : one)).filter(isText);
  return referring([...named, ...listOf(value['env_keys'])]);
}
function referring(names: readonly string[]): Texts {
  return Object.fromEntries(names.map((name) => [name, `\${env:${name}}`]));
}

/** `${VAR}`, `${VAR:-default}`, `${env:VAR}` and opencode's `{env:VAR}` as `${env:VAR}`. */
function referencesIn(text: string, env: Env, notes: string[]): string {
  const reference = (name: string, otherwise?: string): string => {
    if (env[name] === undefined && otherwise !== undefined) return otherwise;
    if (env[name] === undefined) notes.push(`set ${name} where \`pegboard serve\` runs`);
    return `\${env:${name}}`;
  };
  return text
    .replace(/(?<!\$)\{(env|file):([^{}]+)\}/g, '${$1:$2}')
    .replace(/\$\{input:([^{}]+)\}/g, (_, id: string) => `\${${id.replace(/\W/g, '_').toUpperCase()}}`)
    .replace(VARIABLE, (_, name: string, otherwise?: string) => reference(name, otherwise));
}

/** Writes out the variables of words and URLs that name folders and hosts; others are kept. */
function expanded(text: string, env: Env, { folder }: ClientPlace): string {
  const folders: Readonly<Record<string, string | undefined>> = {
    workspaceFolder: folder,
    userHome: env['HOME'],
  };
  return text.replace(VARIABLE, (whole, name: string, otherwise?: string) => {
    const known = folders[name] ?? (HARMLESS.test(name) ? env[name] : undefined);
    return known ?? (env[name] === undefined ? otherwise : undefined) ?? whole;
  });
}

/** Whether a client runs the command in the project's folder, and the command may depend on it. */
function isInProject(place: ClientPlace, [program = '']: readonly string[]): boolean {
  return isOfProject(place) && !FETCHING.test(basename(program));
}

/** Whether its servers run in its folder: a file of a project, also if it is named. */
function isOfProject({ scope, path, folder }: ClientPlace): boolean {
  if (scope !== 'file') return scope === 'project';
  return basename(path) === '.mcp.json' || !path.startsWith(join(folder, basename(path)));
}

/** Whether a word of a command names something below a folder; a bare one is a name of any kind. */
function isBelow(folder: string, word: string): boolean {
  if (/(^|=)\.{1,2}(\/|$)/.test(word)) return true;
  return /[/.]/.test(word) && !word.startsWith('/') && existsSync(join(folder, word));
}

function textsOf(value: JsonObject, keys: readonly string[]): Texts {
  const given = keys.map((key) => value[key]).find((one) => isObject(one) || Array.isArray(one));
  const texts = pairsIn(given).filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one));
  return Object.fromEntries(texts.map(([name, one]) => [name, String(one)]));
}

/** Some write lists of `NAME=value`, or of `NAME: value` for headers. */
function pairsIn(given: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(given)) return isObject(given) ? Object.entries(given) : [];
  return (given as unknown[]).filter(isText).flatMap((one) => {
    const [, name, text] = /^\s*([\w-]+)\s*[=:]\s*(.*)$/s.exec(one) ?? [];
    return name === undefined ? [] : [[name, text] as const];
  });
}

function mapped(texts: Texts, change: (text: string) => string): Texts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isText) : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
