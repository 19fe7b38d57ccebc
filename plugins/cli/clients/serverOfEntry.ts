import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { isObject } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import type { ClientEntry } from './clientFile.ts';
import type { ClientPlace } from './places.ts';

const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^{}]*))?\}/g;
/** A value that is one variable, with or without a scheme. */
const WHOLE = /^((?:Bearer |Basic |Token )?)\$([A-Za-z_]\w*)$/;
/** What Pegboard alone would fill; to the clients it is text. */
const FOREIGN = /\$\{(?:file|secret|caller):[^{}]+\}/;
/** Programs that fetch what they run, so that their folder matters only if a word names something in it. */
const FETCHING = /^(npx|bunx|uvx|pipx|docker|podman)(\.cmd|\.exe)?$/;
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
  const url = ['httpUrl', 'url', 'serverUrl', 'uri'].map((key) => value[key]).find(isText);
  if (name === 'pegboard' || command?.[0]?.endsWith('pegboard') === true)
    return { skipped: 'Pegboard itself' };
  if (place.scope === 'project' && !existsSync(place.folder))
    return { skipped: `its project folder ${place.folder} is gone` };
  if (value['disabled'] === true || value['enabled'] === false) return { skipped: 'switched off' };
  const [reference] = FOREIGN.exec(JSON.stringify(value)) ?? [];
  if (reference !== undefined)
    return { skipped: `it holds ${reference}, which is text to its client and a reference to Pegboard` };
  const notes: string[] = [];
  const refer = (text: string): string => referencesIn(text, surroundings, notes);
  const translate = (text: string): string => refer(text.replace(WHOLE, '$1${$2}'));
  const expand = (text: string): string => expanded(text, surroundings, place);
  const limits = limitsOf(value);
  const own = mapped({ ...textsOf(value, ['env', 'environment', 'envs']), ...forwarded(value) }, translate);
  if (command !== undefined) {
    const words = command.map(expand);
    const said = isText(value['cwd']) ? resolve(place.folder, expand(value['cwd'])) : undefined;
    const cwd = said ?? (words.some((word) => isBelow(place.folder, word)) ? place.folder : undefined);
    const run = {
      command: words.map(refer),
      ...(cwd !== undefined && { cwd: refer(cwd) }),
      ...(isInProject(place, words) && { projectFolder: place.folder }),
    };
    return { type: 'stdio', ...run, env: own, headers: {}, limits, notes };
  }
  if (url === undefined) return { skipped: 'neither a command nor a URL' };
  const at = translate(expand(url));
  if (!/^(https?:\/\/|\$\{env:)/.test(at))
    return { skipped: 'the URL does not begin with http:// or https://' };
  const isSse =
    value['type'] === 'sse' || (!isText(value['type']) && /\/sse\/?$/.test(at.split(/[?#]/, 1)[0] ?? ''));
  const headers = mapped(headersOf(value), translate);
  return { type: isSse ? 'sse' : 'streamable-http', url: at, env: {}, headers, limits, notes };
}

/** A text, a list, or Zed's former `{path, args, env}`. */
function commandOf(value: JsonObject): readonly string[] | undefined {
  const given = value['command'] ?? value['cmd'];
  const args = listOf(value['args']);
  if (isText(given)) return [given, ...args];
  if (Array.isArray(given) && given.length > 0) return [...listOf(given), ...args];
  if (isObject(given) && isText(given['path'])) return [given['path'], ...listOf(given['args'])];
  return undefined;
}

/** Tools that the client offers or hides: Gemini CLI, Codex, Copilot CLI, Goose, for which an empty list means all, and Windsurf. */
export function limitsOf(value: JsonObject): ToolLimits {
  const [include, exclude] = [
    ['includeTools', 'enabled_tools', 'tools', 'available_tools'],
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
    ...textsOf(value, ['headers', 'http_headers']),
    ...mapped(textsOf(value, ['env_http_headers']), (name) => `\${env:${name}}`),
    ...(isText(bearer) && { Authorization: `Bearer \${env:${bearer}}` }),
  };
}

/** Variables that Codex (`env_vars`) and Goose (`env_keys`) pass on by name. */
function forwarded(value: JsonObject): Texts {
  const names = [...listOf(value['env_vars']), ...listOf(value['env_keys'])];
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
    const known = folders[name] ?? (HARMLESS.test(name) ? env[name] : undefined) ?? otherwise;
    return known ?? whole;
  });
}

/** Whether a client runs the command in the project's folder, and the command may depend on it. */
function isInProject({ scope, path }: ClientPlace, [program = '']: readonly string[]): boolean {
  const isOfProject = scope === 'project' || (scope === 'file' && basename(path) === '.mcp.json');
  return isOfProject && !FETCHING.test(basename(program));
}

/** Whether a word of a command is relative to a folder. */
function isBelow(folder: string, word: string): boolean {
  return /(^|=)\.{1,2}(\/|$)/.test(word) || (!isAbsolute(word) && existsSync(join(folder, word)));
}

function textsOf(value: JsonObject, keys: readonly string[]): Texts {
  const given = keys.map((key) => value[key]).find(isObject) ?? {};
  const texts = Object.entries(given).filter(([, one]) =>
    ['string', 'number', 'boolean'].includes(typeof one),
  );
  return Object.fromEntries(texts.map(([name, one]) => [name, String(one)]));
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
