import type { CommandOption } from 'pegboard';
import { splitWords } from '../text/splitWords.ts';
import { targetKind } from './targetKind.ts';

/** Beginnings of the install lines of clients, as READMEs print them. */
const CLIENT_LINES =
  /^(?:(?:claude|codex|gemini|qwen|amp|droid|copilot|opencode|grok|goose|kiro-cli|cursor-agent) mcp (?:add-json|add)|(?:code|code-insiders|codium|cursor) --add-mcp|pegboard add) /;
/** What only a shell understands; a pasted line with it is not one command. */
const FOR_A_SHELL = /^(?:&&|\|\|?|;|>|>>)$|;$/;
/** A variable before a command, in a word of its own or in front of the command in one. */
const LEADING = /^([A-Z][A-Z0-9_]*)=(?:"([^"]*)"|'([^']*)'|([^\s;&|"']*))(?:\s+(?![\s;&|])|$)/;
const TRANSPORT = /^(?:sse|https?|streamable-?http)$/i;
const CONTAINERS = /^(?:.*\/)?(?:docker|podman)$/;

/** Flags of other clients in our words. */
const ALIASES: Readonly<Record<string, (value: string, isOfClient: boolean) => readonly string[]>> = {
  '--type': (value) => ['--transport', value],
  '--tools': (value) => (value === '*' ? [] : ['--include-tools', value]),
  '--bearer-token-env-var': (value) => ['--header', `Authorization=Bearer \${env:${value}}`],
  // Ours is the time that this verb waits.
  '--timeout': (value, isOfClient) => [isOfClient ? '--call-timeout' : '--timeout', value],
};
const SCOPE_SWITCHES = new Set(['-g', '--global']);

interface Line {
  readonly flags: string[];
  /** The name, if there is one, and what to add. */
  readonly operands: string[];
  /** Whether `--` stands before the command. */
  isMarked: boolean;
}

/** The words after `pegboard add` with all flags in front, then `--`, the name (empty: there is none) and what to add. After the first word
 *  of a command everything belongs to it, also without `--`, as the clients have it whose lines are pasted here. Never throws. */
export function addWords(typed: readonly string[], options: readonly CommandOption[]): readonly string[] {
  const takes = takingValues(options);
  const first = firstOperand(typed, takes);
  const pasted = pastedLine(typed[first] ?? '');
  const before = typed.slice(0, first);
  const rest = pasted === undefined ? typed.slice(first) : [...pasted, ...typed.slice(first + 1)];
  const head = rest.slice(0, 3);
  const [start = ''] = head.some((word) => /\s/.test(word))
    ? []
    : (CLIENT_LINES.exec(`${head.join(' ')} `) ?? []);
  const isOfClient = start !== '' && !start.startsWith('pegboard');
  const own = rest.slice(start.trim().split(' ').filter(Boolean).length);
  const line = read([...before, ...own], takes, isOfClient);
  const { flags, operands } = line;
  if (operands.length === 0) return line.isMarked ? [...flags, '--'] : flags;
  return [...flags, '--', ...(isNameless(line) ? [''] : []), ...operands];
}

/** Flags by name, and whether a value follows. */
function takingValues(options: readonly CommandOption[]): ReadonlyMap<string, boolean> {
  const own = options.flatMap(({ flags }) => {
    const names = flags.match(/--?[a-z][\w-]*/gi) ?? [];
    return names.map((name) => [name, flags.includes('<')] as const);
  });
  const foreign = ['--url', ...Object.keys(ALIASES)].map((name) => [name, true] as const);
  const switches = [...SCOPE_SWITCHES].map((name) => [name, false] as const);
  return new Map([...foreign, ...switches, ...own, ['--config-path', true]]);
}

function firstOperand(words: readonly string[], takes: ReadonlyMap<string, boolean>): number {
  let at = 0;
  while (at < words.length && words[at] !== '--' && isFlag(words[at] ?? ''))
    at += takes.get(words[at] ?? '') === true ? 2 : 1;
  return at;
}

/** The words of a client's line that came as one text. */
function pastedLine(text: string): readonly string[] | undefined {
  const plain = text
    .trim()
    .replace(/^[$>%] /, '')
    .replaceAll(/\\\r?\n/g, ' ');
  if (!CLIENT_LINES.test(plain)) return undefined;
  try {
    const words = splitWords(plain);
    return words.some((word) => FOR_A_SHELL.test(word)) ? undefined : words;
  } catch {
    // A quote is not closed: the verb says that the name is not one.
    return undefined;
  }
}

function read(words: readonly string[], takes: ReadonlyMap<string, boolean>, isOfClient: boolean): Line {
  const line: Line = { flags: [], operands: [], isMarked: false };
  const { flags, operands } = line;
  let url: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      line.isMarked = operands.length === 0;
      const after = words.slice(at + 1);
      operands.push(...(operands.length < 2 ? withoutVariables(after, flags) : after));
      break;
    }
    if (isFlag(word)) {
      const [, long = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const value = takes.get(long) === true ? (joined ?? words[(at += 1)]) : undefined;
      if (long === '--url') url = value;
      else flags.push(...ours(word, long, value, isOfClient));
      continue;
    }
    if (isVariable(word) && flags.length > 1 && /^(?:-e|--env)$/.test(flags.at(-2) ?? '')) {
      // Claude Code and Gemini CLI take several after one flag.
      flags.push('--env', word);
      continue;
    }
    if (operands.length === 1 && TRANSPORT.test(word) && targetKind(words[at + 1] ?? '') === 'url') {
      flags.push('--transport', word);
      continue;
    }
    const [own] = operands.length < 2 ? withoutVariables([word], flags) : [word];
    if (own === undefined) continue;
    operands.push(own);
    if (!beginsCommand(operands, words.slice(at + 1))) continue;
    const command = words.slice(words[at + 1] === '--' ? at + 2 : at + 1);
    operands.push(...(CONTAINERS.test(word) ? command : withoutOurs(command, flags)));
    break;
  }
  if (url !== undefined) operands.push(url);
  return line;
}

/** The words of a command, or a command in one word, without the variables that a shell would read before it, which are put to the flags. */
function withoutVariables(words: readonly string[], flags: string[]): readonly string[] {
  const [first = '', ...others] = words;
  const [before = '', name = '', double, single, bare = ''] = LEADING.exec(first) ?? [];
  if (before === '') return words;
  flags.push('--env', `${name}=${double ?? single ?? bare}`);
  const rest = first.slice(before.length);
  return withoutVariables(rest === '' ? others : [rest, ...others], flags);
}

/** @param long its name, without a value behind `=` */
function ours(word: string, long: string, value: string | undefined, isOfClient: boolean): readonly string[] {
  if (SCOPE_SWITCHES.has(long)) return ['--scope', 'global'];
  const alias = ALIASES[long];
  if (alias !== undefined && value !== undefined) return alias(value, isOfClient);
  return value === undefined ? [word] : [long, value];
}

/** Whether the last operand begins a command, so that all that follows is its own. */
function beginsCommand(operands: readonly string[], after: readonly string[]): boolean {
  const [first = '', second] = operands;
  if (second === undefined) return isProgram(first) && !isNamed(first, after);
  return operands.length === 2 && ['runner', 'word', 'npm', 'pypi', 'image'].includes(targetKind(second));
}

function isProgram(word: string): boolean {
  return ['runner', 'npm', 'pypi', 'image'].includes(targetKind(word));
}

/** Whether a first word that could be a program is a name, judged by what follows: `docker -- docker mcp gateway run`. */
function isNamed(first: string, [next = '', ...others]: readonly string[]): boolean {
  if (next === '' || next === '--') return next === '--' || targetKind(first) === 'runner';
  if (['url', 'link', 'json'].includes(targetKind(next))) return true;
  return next === '--url' || (targetKind(next) === 'runner' && others.length > 0);
}

function isNameless({ operands, isMarked }: Line): boolean {
  const [first = '', ...others] = operands;
  if (isMarked) return true;
  if (['url', 'link', 'json', 'file', 'line', 'scheme'].includes(targetKind(first)))
    return others.length === 0 || targetKind(first) !== 'line';
  return isProgram(first) && !isNamed(first, others);
}

/** The words of a command without the flags that every client takes for itself, which are put to the others. */
function withoutOurs(command: readonly string[], flags: string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < command.length; at += 1) {
    const [word = '', next = ''] = command.slice(at, at + 2);
    const isOurs =
      (/^(?:-e|--env)$/.test(word) && isVariable(next)) ||
      (/^(?:-s|--scope)$/.test(word) && /^(?:user|local|project|global)$/.test(next));
    if (word === '--') return [...kept, ...command.slice(at)];
    if (isOurs) flags.push(word, command[(at += 1)] ?? '');
    else kept.push(word);
  }
  return kept;
}

function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}
function isVariable(word: string): boolean {
  return /^[A-Z][A-Z0-9_]*=/.test(word);
}
