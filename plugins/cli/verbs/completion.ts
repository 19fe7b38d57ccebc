import { isObject } from 'pegboard';
import type { Command, Invocation } from 'pegboard';
import { EDITOR_SCHEMAS } from '../../kit/definitions/schemaLine.ts';
import { ARGUMENTS } from '../arguments/argumentsFor.ts';
import { argumentWords } from '../arguments/argumentWords.ts';
import { COMMON_OPTIONS, optionsOf } from '../commonOptions.ts';
import { readContexts } from '../contexts.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { KINDS, kindOf, nameIn } from '../kinds.ts';
import { cachedNames } from '../cachedNames.ts';
import { completionScript } from '../output/completionScript.ts';

export const completion: Command = {
  name: 'completion',
  summary: 'print the completion script of a shell',
  parameters: [{ name: '<shell>', description: 'bash, zsh or fish' }],
  examples: [
    'source <(pegboard completion bash)',
    'pegboard completion fish > ~/.config/fish/completions/pegboard.fish',
  ],
  run: ({ args, terminal }) => {
    const [shell = ''] = args;
    const script = completionScript(shell);
    if (script === undefined) {
      terminal.err(`pegboard: no completion for ${shell}; use bash, zsh or fish\n`);
      return Promise.resolve(1);
    }
    terminal.out(script);
    return Promise.resolve(0);
  },
};

const PROGRAM_FLAGS = ['--help', '--version'];
/** Options of the program itself that every verb takes, with a value. */
const PROGRAM_OPTIONS = ['--config-path', '--state-path'];

/** Called by the scripts with the words that were typed, the last one unfinished; prints what it could become. */
export const complete: Command = {
  name: '__complete',
  summary: 'what a shell asks for (see completion)',
  parameters: [{ name: '[words...]', description: 'the words of the command line' }],
  options: COMMON_OPTIONS,
  takesAnyFlag: true,
  isHidden: true,
  run: async (invocation) => {
    const words = invocation.args;
    const last = words.at(-1) ?? '';
    const found = await candidates(invocation, words.slice(0, -1), last);
    for (const one of found.filter((word) => word.startsWith(last) && isOneWord(word)))
      invocation.terminal.out(`${one}\n`);
    return 0;
  },
};

async function candidates(
  invocation: Invocation,
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const verbs = (await invocation.commands()).filter(({ isHidden }) => isHidden !== true);
  const [name] = operandsIn(before);
  const command = verbs.find((one) => one.name === name);
  const typed = operandsIn(before, command);
  const second = typed[1];
  if (command === undefined) return last.startsWith('-') ? PROGRAM_FLAGS : verbs.map((one) => one.name);
  const sub = command.subcommands?.find((one) => one.name === second);
  const ofTool = typed.length > 1 ? await toolWords(invocation, command, second) : [];
  if (last.startsWith('-'))
    return [...new Set([...ofTool.filter((word) => !word.includes(' ')), ...flagsOf(sub ?? command)])];
  const listed = ofTool.filter((word) => word.startsWith(`${before.at(-1) ?? ''} `));
  if (listed.length > 0) return listed.map((word) => word.slice(word.indexOf(' ') + 1));
  const values = choicesOf(sub ?? command, before.at(-1));
  if (values !== undefined) return values;
  if (command.subcommands !== undefined && sub === undefined)
    return command.subcommands.map((one) => one.name);
  if (before.at(-1) === '--context' || command.name === 'context')
    return (await readContexts(invocation.directory)).contexts.map((one) => one.name);
  if (before.at(-1) === '--server') return names(invocation, 'server');
  // None of the names below is meant: with nothing offered, shells complete files.
  if (takesValue(sub ?? command, before.at(-1))) return [];
  const parameter = command.parameters?.[typed.length - 1]?.name ?? '';
  if (parameter === '<kind>' && command.name !== 'schema')
    return KINDS.map((kind) => (command.name === 'list' ? kind.plural : kind.name));
  if (parameter === '<shell>') return ['bash', 'zsh', 'fish'];
  if (command.name === 'schema') return EDITOR_SCHEMAS;
  if (parameter === '<tool>') return names(invocation, 'tool');
  if (parameter === '<server>') return names(invocation, 'server');
  if (parameter === '<workflow>') return names(invocation, 'workflow');
  return parameter === '[name]' && second !== undefined ? names(invocation, second) : [];
}

// A server names its tools and arguments: a line break would make two words of one, a tab a description.
function isOneWord(word: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word);
}

/** The words that are neither options nor, where the verb is known, values of its options. */
function operandsIn(words: readonly string[], command: Pick<Command, 'options'> = {}): readonly string[] {
  return words.filter((word, at) => !word.startsWith('-') && !takesValue(command, words[at - 1]));
}

function takesValue({ options = [] }: Pick<Command, 'options'>, word = ''): boolean {
  if (PROGRAM_OPTIONS.includes(word)) return true;
  return options.some(({ flags }) => flags.includes('<') && flags.split(/[ ,]+/).includes(word));
}

/** The arguments of the tool or workflow that was typed, and their values: `--mode`, `--mode fast`. */
async function toolWords(
  invocation: Invocation,
  { parameters = [] }: Command,
  name: string | undefined,
): Promise<readonly string[]> {
  const [first, second] = parameters;
  if (name === undefined || second?.name !== ARGUMENTS.parameter.name) return [];
  const tool = first?.name === '<workflow>' ? `workflow_${name}` : name;
  return remembered(invocation, `arguments ${tool}`, async (gateway) => {
    const { inputSchema } = await gateway.read('describe_tool', { name: tool });
    return argumentWords(isObject(inputSchema) ? inputSchema : {}).filter(isOneWord);
  });
}

/** The values of the option that was typed last, if it has a few. */
function choicesOf({ options = [] }: Command, flag = ''): readonly string[] | undefined {
  return options.find(({ flags }) => flag !== '' && flags.split(/[ ,]+/).includes(flag))?.choices;
}

function flagsOf({ options = [] }: Command): readonly string[] {
  return options.flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? []);
}

/** Names from the running gateway. */
function names(invocation: Invocation, word: string): Promise<readonly string[]> {
  const kind = kindOf(word);
  return remembered(invocation, kind.plural, async (gateway) =>
    (await kind.list(gateway)).map((item) => nameIn(kind, item)),
  );
}

/** What the running gateway answers, remembered for a moment; nothing if it does not. */
async function remembered(
  invocation: Invocation,
  what: string,
  read: (gateway: Gateway) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    const quick: Invocation = { ...invocation, options: { ...optionsOf(invocation), timeout: '5' } };
    return await cachedNames(invocation, what, () => Gateway.connected(quick, read));
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
