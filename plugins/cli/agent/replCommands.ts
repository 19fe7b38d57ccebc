import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { argumentsFor } from '../arguments/argumentsFor.ts';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { KINDS, filtered, kindOf } from '../kinds.ts';
import type { Kind } from '../kinds.ts';
import { printList, printObject } from '../output/print.ts';
import { printResult } from '../output/printResult.ts';
import { wholeResult } from '../wholeResult.ts';
import { splitWords } from '../../kit/text/splitWords.ts';

export interface ReplCommand {
  readonly names: readonly string[];
  readonly usage: string;
  readonly summary: string;
  /** What completes its first word. */
  readonly takes?: 'tool' | 'kind' | 'prompt' | 'resource';
  /** @param rest the line after the command's name @throws Failure */
  run?(gateway: Gateway, rest: string, invocation: Invocation): Promise<unknown>;
}

/** The commands of `pegboard agent --repl`; `exit` has no run. */
export const REPL_COMMANDS: readonly ReplCommand[] = [
  {
    names: ['help', '?'],
    usage: 'help',
    summary: 'show this list',
    run: (_gateway, _rest, { terminal }) => {
      for (const { names, usage, summary } of REPL_COMMANDS) {
        const others = names.length > 1 ? ` (also ${names.slice(1).join(', ')})` : '';
        terminal.out(`${usage.padEnd(30)} ${summary}${others}\n`);
      }
      return Promise.resolve();
    },
  },
  {
    names: ['list', 'ls'],
    usage: 'list [kind]',
    summary: 'list tools, or another kind',
    takes: 'kind',
    run: async (gateway, rest, invocation) => {
      const kind = kindOf(rest === '' ? 'tools' : rest);
      show(invocation, kind, await kind.list(gateway));
    },
  },
  {
    names: ['describe', 'desc', 'info'],
    usage: 'describe [kind] <name>',
    summary: 'show a tool, or a thing of another kind, in full',
    takes: 'tool',
    run: async (gateway, rest, invocation) => {
      const [first = '', second] = splitWords(rest);
      if (first === '') throw new Failure('describe what? describe <tool>');
      const [kind, name] = second === undefined ? [kindOf('tool'), first] : [kindOf(first), second];
      printObject(invocation, await kind.get(gateway, name), name);
    },
  },
  {
    names: ['call', 'run', 'exec'],
    usage: 'call <tool> [{json}|--name value …]',
    summary: 'call a tool',
    takes: 'tool',
    run: async (gateway, rest, invocation) => {
      const [name, text] = nameAndRest(rest, 'call <tool>');
      const given = text.startsWith('{') ? { words: [], json: text } : { words: splitWords(text) };
      const args = await argumentsFor(gateway, name, given, invocation);
      await printResult(invocation, await wholeResult(gateway, await gateway.call(name, args)));
    },
  },
  {
    names: ['get', 'fetch'],
    usage: 'get <uri>',
    summary: 'read a resource',
    takes: 'resource',
    run: async (gateway, rest, invocation) => {
      const [uri] = nameAndRest(rest, 'get <uri>');
      await printResult(invocation, await wholeResult(gateway, await gateway.meta('get_resource', { uri })));
    },
  },
  {
    names: ['prompt', 'template'],
    usage: 'prompt <name> [{json}]',
    summary: 'fill in a prompt',
    takes: 'prompt',
    run: async (gateway, rest, invocation) => {
      const [name, text] = nameAndRest(rest, 'prompt <name>');
      const args = text === '' ? {} : objectIn(text);
      await printResult(invocation, await gateway.meta('get_prompt', { name, arguments: args }));
    },
  },
  {
    names: ['filter', 'find', 'search'],
    usage: 'filter <glob or words>',
    summary: 'tools whose names match a glob, or that do what the words say',
    run: async (gateway, rest, invocation) => {
      const kind = kindOf('tool');
      const isGlob = /^[^\s*?]*[*?]\S*$/.test(rest);
      if (rest === '') throw new Failure('filter by what? filter *issue*, or: filter open an issue');
      if (isGlob) show(invocation, kind, filtered(await kind.list(gateway), { filter: rest }, kind));
      else {
        const { tools } = await gateway.read('filter_tools', { query: rest, limit: 10 });
        show(invocation, kind, Array.isArray(tools) ? tools.filter((tool) => isObject(tool)) : []);
      }
    },
  },
  { names: ['exit', 'quit', 'q'], usage: 'exit', summary: 'end; so does Ctrl-D' },
];

/** The kinds that `list` knows, for completion. */
export const KIND_NAMES = KINDS.map(({ plural }) => plural);

export function replCommand(word: string): ReplCommand | undefined {
  return REPL_COMMANDS.find(({ names }) => names.includes(word));
}

function show(invocation: Invocation, { plural, columns }: Kind, items: readonly JsonObject[]): void {
  const { output } = optionsOf(invocation);
  printList(invocation, plural, items, columns);
  if (output === 'table' || output === 'wide') invocation.terminal.err(`${items.length} ${plural}\n`);
}

function nameAndRest(text: string, usage: string): readonly [string, string] {
  const [, name, rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new Failure(`write it as: ${usage}`);
  return [name, rest];
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Refused below, with the same words as a list or a number.
  }
  throw new Failure(`${text} is not a JSON object; write {"name": "value"}`);
}
