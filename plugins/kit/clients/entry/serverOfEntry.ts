import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isObject } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import type { ClientEntry } from '../clientEntry.ts';
import type { ClientPlace } from '../places.ts';
import { authOf } from './authOf.ts';
import { commandOf, isPegboard, isScript, passedOn, withoutInner } from './commandOf.ts';
import { mergedEntry } from './mergedEntry.ts';
import { EntryFields, textIn, textsIn } from './entryFields.ts';
import type { LeftBehind } from './leftBehind.ts';
import { limitsOf } from './limitsOf.ts';
import type { ToolLimits } from './limitsOf.ts';
import { shellNotes } from './shellNotes.ts';
import { timesOf } from './timesOf.ts';
import type { Times } from './timesOf.ts';
import { URL_KEYS, isSwitchedOff, startsByItself, transportOf } from './transportOf.ts';
import type { TransportType } from './transportOf.ts';
import { ENV_FILE_KEYS, envFilesOf, envOf, headersOf, referring } from './valuesOf.ts';
import type { Texts } from './valuesOf.ts';
import { FOREIGN, Variables } from './variables.ts';

/** A file of a program, without a folder. */
const SCRIPT = /^[\w-][\w.-]*\.([cm]?[jt]s|py|rb|php|sh|jar)$/;
/** Programs that fetch what they run, so that their folder matters only if a word names something in it. */
const FETCHING = /^(npx|bunx|uvx|pipx|docker|podman)(\.cmd|\.exe)?$/;

/** A server as a client's file describes it, in Pegboard's words. Its literal secrets are still in it. */
export interface Server {
  readonly type: TransportType;
  /** stdio only. */
  readonly command?: readonly string[];
  /** stdio only: the folder in which it runs, if its entry says so, or a word of the command names something there. */
  readonly cwd?: string;
  /** stdio only: the folder of its project, in which its client runs it; undefined: it does not matter. */
  readonly projectFolder?: string;
  /** Remote only. */
  readonly url?: string;
  readonly env: Texts;
  /** Names of those variables that only a file gives which the entry names; undefined if it names none. */
  readonly ofFiles?: readonly string[];
  readonly headers: Texts;
  /** Values of the two that are secrets whatever they look like. */
  readonly secrets: ReadonlySet<string>;
  /** `auth` of the definition. */
  readonly auth?: JsonObject;
  readonly limits: ToolLimits;
  readonly times: Times;
  readonly description?: string;
  /** Whether its client does not use it. */
  readonly isOff: boolean;
  /** Whether it waits to be started. */
  readonly isWaiting: boolean;
  /** What the operator should know or do. */
  readonly notes: readonly string[];
  /** What the entry says and this does not. */
  readonly left: readonly LeftBehind[];
}
export interface Skipped {
  readonly skipped: string;
}

/** Understands the spellings of all known clients, which differ in the names of keys only. */
export function serverOfEntry(entry: ClientEntry, env: Env): Server | Skipped {
  const { name, place, value: given, fault } = entry;
  if (fault !== undefined) return { skipped: fault };
  // Cline CLI writes what it starts, or where it connects, one level deeper.
  const nested = isObject(given['transport']) ? mergedEntry(given, given['transport']) : given;
  return new EntryReader(withoutInner(nested), entry, env).read(name, place);
}

class EntryReader {
  readonly #fields: EntryFields;
  readonly #value: JsonObject;
  readonly #entry: ClientEntry;
  readonly #env: Env;
  readonly #variables: Variables;
  readonly #notes: string[] = [];
  #unknown: string | undefined;

  constructor(value: JsonObject, entry: ClientEntry, env: Env) {
    this.#value = value;
    this.#entry = entry;
    this.#env = env;
    this.#fields = new EntryFields(value);
    this.#variables = new Variables({ env, name: entry.name, place: entry.place, inputs: entry.inputs });
  }

  read(name: string, place: ClientPlace): Server | Skipped {
    const fields = this.#fields;
    const transport = transportOf(fields);
    const command = commandOf(fields);
    const url = fields.take(URL_KEYS, textIn);
    const words = command !== undefined && 'words' in command ? command.words : [];
    if (name === 'pegboard' || isPegboard(words)) return { skipped: 'Pegboard itself' };
    const foreign = place.client === 'windsurf' ? undefined : foreignIn(this.#value);
    if (foreign !== undefined) return { skipped: foreign };
    if (place.scope === 'project' && !existsSync(place.folder))
      return { skipped: `its project folder ${place.folder} is gone` };
    if (command !== undefined && 'fault' in command) return { skipped: command.fault };
    const isRemote = url !== undefined && (words.length === 0 || isRemoteType(transport));
    if (transport !== undefined && 'fault' in transport && (isRemote || words.length === 0))
      return { skipped: transport.fault };
    const isOff = isSwitchedOff(fields);
    const isWaiting = !startsByItself(fields);
    if (command !== undefined && 'words' in command && command.note !== undefined && !isRemote)
      this.#notes.push(command.note);
    const how = isRemote ? this.#remote(url, transport) : this.#process(words);
    if (isRemote && words.length > 0) fields.leave('command', 'its URL is used');
    if (!isRemote && url !== undefined) fields.leave('url', 'its command is used');
    if (this.#unknown !== undefined)
      return { skipped: `it holds ${this.#unknown}, which only its client can fill in` };
    if (how === undefined && fields.has('uses')) return { skipped: 'a block of its client’s hub' };
    if (how === undefined) return { skipped: 'neither a command nor a URL' };
    if ('skipped' in how) return how;
    const limits = limitsOf(fields);
    const asked = this.#variables.asked.map((key) => ({ key, reason: 'its client asks for it' }));
    const times = timesOf(fields, this.#dialect());
    const tags = fields.take(['tags'], textsIn);
    if (tags !== undefined)
      this.#notes.push(`its tags (${tags.join(', ')}) are not taken over; group servers by toolsetPresets`);
    const description = fields.take(['description'], textIn);
    return {
      ...how,
      limits,
      times,
      ...(description !== undefined && { description }),
      isOff,
      isWaiting,
      secrets: this.#variables.secrets,
      notes: [...this.#notes, ...this.#variables.notes],
      left: [...fields.left(), ...asked],
    };
  }

  /** The client's name, or the path of the file; opencode's entries are known by their words. */
  #dialect(): string {
    const isOpencode =
      this.#entry.at[0] === 'mcp' && ['local', 'remote'].includes(String(this.#value['type']));
    return isOpencode ? 'opencode' : this.#entry.place.client;
  }

  #process(
    words: readonly string[],
  ): Pick<Server, 'type' | 'command' | 'cwd' | 'projectFolder' | 'env' | 'ofFiles' | 'headers'> | undefined {
    if (words.length === 0) return undefined;
    const { place } = this.#entry;
    const fields = this.#fields;
    const isShell = isScript(words);
    const given = envOf(fields);
    const isKept = (name: string): boolean =>
      Object.hasOwn(given, name) || (isShell && this.#env[name] === undefined);
    const command = words.map((word) => this.#word(word, isKept));
    const cwd = this.#folder(command);
    const hasFiles = ENV_FILE_KEYS.some((key) => fields.has(key));
    const fromFiles = envFilesOf(fields, { place, variables: this.#variables, notes: this.#notes });
    const env = { ...referring(passedOn(words)), ...fromFiles, ...given };
    this.#notes.push(...shellNotes(words, env, this.#env));
    const ofFiles = Object.keys(fromFiles).filter((name) => !Object.hasOwn(given, name));
    return {
      type: 'stdio',
      command,
      ...(cwd !== undefined && { cwd }),
      ...(runsInProject(place, command) && { projectFolder: place.folder }),
      env: this.#values('env', env),
      ...(hasFiles && { ofFiles }),
      headers: {},
    };
  }

  #remote(
    url: string,
    transport: ReturnType<typeof transportOf>,
  ): Pick<Server, 'type' | 'url' | 'env' | 'headers' | 'auth'> | Skipped {
    // What a file holds would be sent to wherever the rest of the URL says.
    if (/(?<!\$)\{file:/.test(url)) return { skipped: 'its URL holds what a file says' };
    const at = this.#word(url);
    if (!/^(https?:\/\/|\$\{env:)/.test(at))
      return { skipped: 'the URL does not begin with http:// or https://' };
    const said = transport !== undefined && 'type' in transport ? transport.type : 'auto';
    const isStrict = said === 'auto' && Object.hasOwn(this.#value, 'httpUrl');
    const type = isStrict ? 'streamable-http' : said === 'stdio' ? 'auto' : said;
    const auth = authOf(this.#fields);
    const headers = this.#values('headers', headersOf(this.#fields));
    return { type, url: at, env: {}, headers, ...(auth !== undefined && { auth }) };
  }

  /** The folder that an entry names, or its project's if a word of the command names something there. */
  #folder(words: readonly string[]): string | undefined {
    const { place } = this.#entry;
    const keys = ['cwd', 'workingDirectory', 'working_directory', 'working_dir', 'workingDir', 'workdir'];
    const said = this.#fields.take(keys, textIn);
    if (said !== undefined) {
      const folder = this.#word(said).replace(/^~(?=\/|$)/, this.#env['HOME'] ?? '~');
      if (/^[A-Za-z]:[\\/]/.test(folder) && process.platform !== 'win32') {
        this.#notes.push(`its folder ${folder} is one of Windows`);
        return folder;
      }
      return folder.startsWith('${') ? folder : resolve(place.folder, folder);
    }
    const isTied = place.scope !== 'user' && words.some((word) => isBelow(place.folder, word));
    const script = words.find((word) => SCRIPT.test(word));
    if (!isTied && !isOfProject(place) && script !== undefined)
      this.#notes.push(`${script} is looked for in the folder of Pegboard; write cwd into the definition`);
    return isTied ? place.folder : undefined;
  }

  #word(text: string, isKept?: (name: string) => boolean): string {
    const filled = this.#variables.word(text, isKept);
    if ('text' in filled) return filled.text;
    this.#unknown ??= filled.unknown;
    return text;
  }

  /** Those that only the client can fill in are left behind. */
  #values(field: string, given: Texts): Texts {
    const pairs = Object.entries(given).flatMap(([name, text]) => {
      const filled = this.#variables.value(text);
      if ('text' in filled) return [[name, filled.text] as const];
      this.#fields.leave(`${field}.${name}`, `it holds ${filled.unknown}, which only its client can fill in`);
      return [];
    });
    return Object.fromEntries(pairs);
  }
}

function foreignIn(value: JsonObject): string | undefined {
  const [reference] = FOREIGN.exec(JSON.stringify(value)) ?? [];
  return reference === undefined
    ? undefined
    : `it holds ${reference}, which is text to its client and a reference to Pegboard`;
}

function isRemoteType(transport: ReturnType<typeof transportOf>): boolean {
  return transport !== undefined && 'type' in transport && transport.type !== 'stdio';
}

/** Whether a client runs the command in the project's folder, and the command may depend on it. */
function runsInProject(place: ClientPlace, [program = '']: readonly string[]): boolean {
  const isFetched = FETCHING.test(basename(program)) && !existsSync(join(place.folder, 'node_modules'));
  return isOfProject(place) && !isFetched;
}

/** Whether its servers run in its folder: a file of a project, also if it is named. */
function isOfProject({ scope, path, folder }: ClientPlace): boolean {
  if (scope !== 'file') return scope === 'project';
  return (
    /^(\.?mcp|opencode|gemini-extension|\.?crush)\.jsonc?$/.test(basename(path)) ||
    path !== join(folder, basename(path))
  );
}

/** Whether a word of a command names something below a folder; a bare one is a name of any kind. */
function isBelow(folder: string, word: string): boolean {
  if (/(^|=)\.{1,2}(\/|$)/.test(word)) return true;
  return /[/.]/.test(word) && !word.startsWith('/') && existsSync(join(folder, word));
}
