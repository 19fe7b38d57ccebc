import type { Command, Invocation } from 'pegboard';
import { EDITOR_SCHEMAS } from '../../kit/definitions/schemaLine.ts';
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
    for (const one of found.filter((word) => word.startsWith(last))) invocation.terminal.out(`${one}\n`);
    return 0;
  },
};

async function candidates(
  invocation: Invocation,
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const verbs = (await invocation.commands()).filter(({ isHidden }) => isHidden !== true);
  const typed = before.filter((word) => !word.startsWith('-'));
  const [name, second] = typed;
  const command = verbs.find((one) => one.name === name);
  if (command === undefined) return verbs.map((one) => one.name);
  const sub = command.subcommands?.find((one) => one.name === second);
  if (last.startsWith('-')) return flagsOf(sub ?? command);
  const values = choicesOf(sub ?? command, before.at(-1));
  if (values !== undefined) return values;
  if (command.subcommands !== undefined && sub === undefined)
    return command.subcommands.map((one) => one.name);
  if (before.at(-1) === '--context' || command.name === 'context')
    return (await readContexts(invocation.directory)).contexts.map((one) => one.name);
  if (before.at(-1) === '--server') return names(invocation, 'server');
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

/** The values of the option that was typed last, if it has a few. */
function choicesOf({ options = [] }: Command, flag = ''): readonly string[] | undefined {
  return options.find(({ flags }) => flag !== '' && flags.split(/[ ,]+/).includes(flag))?.choices;
}

function flagsOf({ options = [] }: Command): readonly string[] {
  return options.flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? []);
}

/** Names from the running gateway, remembered for a moment; none if it does not answer. */
async function names(invocation: Invocation, word: string): Promise<readonly string[]> {
  try {
    const kind = kindOf(word);
    const options = { ...optionsOf(invocation), timeout: '5' };
    const quick: Invocation = { ...invocation, options };
    return await cachedNames(invocation, kind.plural, () =>
      Gateway.connected(quick, async (gateway) =>
        (await kind.list(gateway)).map((item) => nameIn(kind, item)),
      ),
    );
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
