import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { definitionNameFault } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import { commandOf, isPegboard } from '../clients/entry/commandOf.ts';
import { EntryFields } from '../clients/entry/entryFields.ts';
import type { Given } from '../definitions/fromServerJson.ts';
import { Failure } from '../text/failure.ts';
import { describedIn, describedInFile, refuseChoices, refuseMismatch } from './describedIn.ts';
import type { FoundSpec } from './describedIn.ts';
import { objectIn } from './entryIn.ts';
import { installLink } from './installLink.ts';
import { clean, proposedName } from './proposedName.ts';
import { readOptions } from './readOptions.ts';
import type { AddOptions } from './readOptions.ts';
import { shownTarget } from './shownTarget.ts';
import { targetKind } from './targetKind.ts';

/** A name of a file is shown this far. */
const SHOWN_CHARS = 100;

export interface Wanted {
  readonly name: string;
  /** Whether the name was proposed, not typed. */
  readonly isNamedHere: boolean;
  /** A remote one has no `type` if that has to be found out. Its secrets are still in it. */
  readonly spec: JsonObject;
  readonly notes: readonly string[];
  /** Values in it that are secret whatever they look like. */
  readonly secrets?: ReadonlySet<string>;
  /** Who wrote it down: `words` of a command or a URL, and `json`, were typed; others wrote links and files. */
  readonly origin: 'words' | 'json' | 'others';
  /** Whether it waits until the user has seen it. */
  readonly isHeld?: boolean;
}

export interface Typed {
  /** The name, empty if there is none, and what to add. */
  readonly words: readonly string[];
  readonly options: AddOptions;
  readonly env: Env;
  /** Where relative paths begin. */
  readonly folder: string;
  /** Whether a file that was typed is read. */
  readonly readsFiles: boolean;
  /** Whether the gateway runs here, with this environment. */
  readonly isOwn: boolean;
  /** Where the gateway answers. */
  readonly url: string;
}

/** What is wrong is the name, or there is none. */
export class NameFault extends Failure {}

/** The server that was typed, in whatever form. @throws Failure that holds no secret */
export async function wantedServer(line: Typed): Promise<Wanted> {
  const { words, env, isOwn, url } = line;
  const [typed = '', ...target] = words;
  // It may be a variable, and hold a secret.
  const said = typed.replace(/=.*$/s, '=…');
  const start = `pegboard add ${clean(said) ?? '<name>'}`;
  if (target.length === 0)
    throw new Failure(`what is ${said}? use: ${start} -- <command>, or: ${start} <url>`);
  const { keys, notes: flagNotes, ...flags } = readOptions(line.options);
  const given = { ...flags, ...(isOwn && { has: (program: string) => isOnPath(program, env) }) };
  const { name: own, spec, notes, secrets } = await foundIn(target, given, line);
  if (spec['url'] === url || (spec['url'] === undefined && isPegboard(commandIn(spec) ?? [])))
    throw new Failure('this is Pegboard itself, which would start or call itself without end');
  const proposed = nameIn(own) ?? proposedName(commandIn(spec) ?? target);
  const name = typed === '' ? proposed : typed;
  if (name === undefined)
    throw new NameFault(`a name is missing; use: pegboard add <name> ${shownTarget(target)}`);
  const fault = definitionNameFault(typed === '' ? name : said);
  if (fault !== undefined)
    throw new NameFault(
      `${fault}; use: pegboard add ${clean(typed === '' ? name : said) ?? '<name>'} ${shownTarget(target)}`,
    );
  const all = [...notes, ...(isOwn ? unsetIn(spec, env) : []), ...flagNotes];
  const origin = originOf(target);
  const isNamedHere = typed === '';
  return {
    name,
    isNamedHere,
    spec: { ...spec, ...keys },
    notes: [...new Set(all)],
    origin,
    ...(secrets && { secrets }),
  };
}

function originOf([first = '', ...others]: readonly string[]): Wanted['origin'] {
  const kind = targetKind(first);
  if (kind === 'json') return 'json';
  return kind === 'link' || (kind === 'file' && others.length === 0) ? 'others' : 'words';
}

/** References to variables that are not set here, where the gateway would run. */
function unsetIn(spec: JsonObject, env: Env): readonly string[] {
  const names = [...JSON.stringify(spec).matchAll(/\$\{env:(\w+)\}/g)].map(([, name = '']) => name);
  return names
    .filter((name) => env[name] === undefined)
    .map((name) => `set ${name} where \`pegboard serve\` runs`);
}

function nameIn(own = ''): string | undefined {
  return definitionNameFault(own) === undefined ? own : clean(own);
}

function commandIn({ command, url }: JsonObject): readonly string[] | undefined {
  if (typeof url === 'string') return [url];
  return Array.isArray(command) ? (command as readonly string[]) : undefined;
}

type Beside = Given & Required<Pick<Given, 'values'>>;

async function foundIn(
  target: readonly string[],
  given: Beside,
  { words: [typed = ''], env, folder, readsFiles }: Typed,
): Promise<FoundSpec> {
  const [first = '', ...others] = target;
  const kind = targetKind(first);
  const around = { ...given, folder, vars: env };
  const isOne = ['json', 'link', 'file', 'url', 'scheme'].includes(kind);
  if (isOne && others.length > 0 && kind !== 'file')
    throw new Failure(`one thing is added at a time; use: pegboard add <name> ${shownTarget([first])}`);
  if (kind === 'scheme')
    throw new Failure(
      `${first.split(':', 1)[0] ?? ''}: is nothing that Pegboard knows; the URL of an MCP server begins with http:// or https://`,
    );
  if (kind === 'json') return describedIn(objectIn(first, 'the JSON'), 'the JSON', around);
  if (kind === 'file' && others.length === 0 && !readsFiles)
    throw new Failure(`${first.slice(0, SHOWN_CHARS)} is the name of a file; paste what is in it`);
  if (kind === 'file' && others.length === 0) return describedInFile(first, given, env);
  if (kind === 'link') {
    const { name, entry } = installLink(first);
    const value = typeof entry === 'string' ? objectIn(entry, 'the link') : entry;
    const found = describedIn(value, 'the link', around);
    return { ...found, ...(name !== undefined && { name }) };
  }
  return kind === 'url' ? remote(first, given) : local(target, given, typed);
}

function remote(url: string, given: Given): FoundSpec {
  const { headers, transport } = given;
  if (!URL.canParse(url)) throw new Failure('the URL is not valid; it is written as https://host/path');
  refuseMismatch(true, given);
  refuseChoices(given);
  const type = transport === undefined ? {} : { type: transport };
  return { spec: { ...type, url, ...(Object.keys(headers).length > 0 && { headers }) }, notes: [] };
}

function local(target: readonly string[], given: Given, name: string): FoundSpec {
  const { env } = given;
  refuseMismatch(false, given);
  refuseChoices(given);
  const { words, note } = commandWords(target, Object.keys(env), name);
  return {
    spec: { type: 'stdio', command: words, ...(Object.keys(env).length > 0 && { env }) },
    notes: note === undefined ? [] : [note],
  };
}

interface Words {
  readonly words: readonly string[];
  readonly note?: string;
}

function commandWords(target: readonly string[], env: readonly string[], name: string): Words {
  const [first = '', ...others] = target;
  const kind = existsSync(first) ? 'word' : targetKind(first);
  if (kind === 'npm') return { words: ['npx', '-y', first.replace(/^npm:/, ''), ...others] };
  if (kind === 'pypi') return { words: ['uvx', first.replace(/^pypi:/, ''), ...others] };
  if (kind === 'image')
    return {
      words: ['docker', 'run', '-i', '--rm', ...env.flatMap((one) => ['-e', one]), first, ...others],
    };
  if (kind !== 'line' || others.length > 0) return readable(new EntryFields({ command: target }));
  const [program = ''] = first.trim().split(/\s/, 1);
  if (/\smcp\s+add|--add-mcp/.test(first))
    throw new Failure(
      'this is more than one command, or a quote in it is not closed; type the part of one server behind: pegboard add',
    );
  if (name === '' && targetKind(program) !== 'runner')
    throw new Failure(
      `${program.replace(/=.*$/s, '=…')} … is not a command that Pegboard knows; use: pegboard add <name> -- <command>`,
    );
  return readable(new EntryFields({ command: first }));
}

function readable(fields: EntryFields): Words {
  const command = commandOf(fields);
  if (command === undefined || 'fault' in command)
    throw new Failure('the command cannot be read; use: pegboard add <name> -- <command>');
  return command;
}

/** Whether a program of that name is found without a path. */
export function isOnPath(program: string, env: Env): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
