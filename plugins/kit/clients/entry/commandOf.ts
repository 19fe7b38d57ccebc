import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { splitWords } from '../../text/splitWords.ts';
import { scalarText } from '../../definitions/scalarText.ts';
import type { EntryFields } from './entryFields.ts';
import { mergedEntry } from './mergedEntry.ts';

/** What only a shell understands: lists of commands, pipes, redirections and its own words. */
const FOR_A_SHELL = /&&|\|\||[;|<>`]|\$\(|^(cd|export|source|\.|[A-Za-z_]\w*=\S*)\s/;
const CONTAINERS = /^(?:.*\/)?(docker|podman)$/;
const SHELL = /^(sh|bash|zsh|dash|ksh|fish)$/;
/** Programs that run what their first word names. */
const RUNNERS = /^(npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|bun|deno|node|tsx|cmd|docker|podman)$/;
/** Pegboard as a package, a path or an image. */
const PEGBOARD =
  /(^|[\\/])pegboard(\.(c?m?js|ts|cmd|exe))?(@[\w.^~-]+)?$|(^|\/)pegboard(:[\w.-]+|@sha256:\w+)$/;

/** The words of an entry's command, or why they cannot be taken over; undefined if it has none. */
export type Command =
  { readonly words: readonly string[]; readonly note?: string } | { readonly fault: string };

/** A text or a list, with `args`. A whole command line in one text is split as a shell splits it. */
export function commandOf(fields: EntryFields): Command | undefined {
  const head = fields.take(['command', 'cmd'], listIn) ?? [];
  const given = ['args', 'arguments'].some((key) => fields.has(key));
  const args = fields.take(['args', 'arguments'], argumentsIn) ?? [];
  if (given && args.length === 0) return { fault: 'its arguments are not a list' };
  const words = [...head, ...args].map(scalarText);
  const [program = ''] = words;
  if (program === '') return undefined;
  if (words.includes(undefined))
    return { fault: 'its arguments hold a list or an object, which no command line can' };
  const all = words.filter((word) => word !== undefined);
  const isWindows =
    /^cmd(\.exe)?$/i.test(program) && /^\/c$/i.test(all[1] ?? '') && process.platform !== 'win32';
  if (isWindows)
    return {
      words: [all[2]?.replace(/\.(cmd|exe)$/i, '') ?? '', ...all.slice(3)],
      note: '`cmd /c` is of Windows, so it is left out',
    };
  const [first = ''] = program.split(/\s/, 1);
  // A path with blanks may be one of another machine; what is a program up to the first blank has arguments.
  const isPath =
    statSync(first, { throwIfNoEntry: false })?.isFile() !== true &&
    /^(\/|~|[A-Za-z]:)/.test(program) &&
    (args.length > 0 || /^[A-Za-z]:\\|^[^\s]*\s[^\s-]*\//.test(program));
  const isLine = head.length === 1 && /\s/.test(program) && !isPath && !existsSync(program);
  if (!isLine) return { words: all };
  return args.length === 0 ? split(program) : joined(split(program), all.slice(1));
}

/** Zed's former `command: { path, args, env }` beside what else an entry says. */
export function withoutInner(value: JsonObject): JsonObject {
  const { command } = value;
  if (!isObject(command)) return value;
  const { path, ...inner } = command;
  return mergedEntry(value, { ...inner, command: path });
}

function split(line: string): Command {
  const text = line.trim();
  if (FOR_A_SHELL.test(text))
    return { words: ['sh', '-c', text], note: 'its command is one for a shell, so sh runs it' };
  try {
    return { words: splitWords(text) };
  } catch (error) {
    return { fault: `its command cannot be split into words: ${messageOf(error)}` };
  }
}

function joined(command: Command, args: readonly string[]): Command {
  if ('fault' in command) return command;
  return command.note === undefined
    ? { words: [...command.words, ...args] }
    : { fault: 'its command is one for a shell, and has arguments besides' };
}

/** Variables that a container takes from the environment of its client: `-e NAME` without a value. */
export function passedOn([program = '', ...words]: readonly string[]): readonly string[] {
  if (!CONTAINERS.test(program)) return [];
  return words.flatMap((word, at) => {
    const [flag = ''] = words.slice(Math.max(0, at - 1), at);
    const [, joinedName] = /^--env=([A-Za-z_]\w*)$/.exec(word) ?? [];
    if (joinedName !== undefined) return [joinedName];
    return (flag === '-e' || flag === '--env') && /^[A-Za-z_]\w*$/.test(word) ? [word] : [];
  });
}

/** Whether a command is a script for a shell, which fills in its own variables. */
export function isScript([program = '', ...words]: readonly string[]): boolean {
  return SHELL.test(basename(program)) && words.some((word) => /^-\w*c$/.test(word));
}

/** Whether a command starts Pegboard, as its program, its package, its path or its image. */
export function isPegboard(words: readonly string[]): boolean {
  const [program = '', ...rest] = words;
  if (PEGBOARD.test(program)) return true;
  if (isScript(words))
    return rest.some((word) => /(^|[\s/"'])pegboard(@[\w.^~-]+)?["']?\s+(serve|agent)\b/.test(word));
  const name = basename(program).replace(/\.(cmd|exe)$/, '');
  if (!RUNNERS.test(name)) return false;
  const named = rest.filter((word) => !word.startsWith('-'));
  // A container's image comes after the values of its flags; a folder is not its name.
  const isImage = CONTAINERS.test(program);
  const candidates = isImage
    ? named.filter((word) => !/^[./~]/.test(word))
    : named.slice(0, name === 'npm' ? 2 : 1);
  return candidates.some((word) => PEGBOARD.test(word));
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  return typeof value === 'string' ? [value] : undefined;
}

/** A list; one text is split as a shell splits it. */
function argumentsIn(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'string') return listIn(value);
  try {
    return splitWords(value);
  } catch {
    return undefined;
  }
}
