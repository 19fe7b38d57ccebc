import type { Command, CommandOption } from '../contracts/command.ts';

/** Every verb has it. */
export const CONFIG_PATH: CommandOption = {
  flags: '--config-path <dir>',
  description: 'configuration directory (default ~/.config/pegboard)',
};

/** `--context x list tools` → `list --context x tools`: flags that any verb has may be typed before it.
 *  @returns argv as it is if a flag before the verb is unknown, or means different things to different verbs */
export function verbFirst(argv: readonly string[], commands: readonly Command[]): readonly string[] {
  const options = [CONFIG_PATH, ...withSubcommands(commands).flatMap((one) => one.options ?? [])];
  let verb = 0;
  for (let word; (word = argv[verb] ?? '').startsWith('-');) {
    // `--output=json`, or `-ojson`.
    const [flag = ''] = /^--[^=]+|^-./.exec(word) ?? [];
    const declared = options.filter(({ flags }) => flags.split(/[ ,]+/).includes(flag));
    const [takesValue, ...others] = new Set(declared.map(({ flags }) => flags.includes('<')));
    if (takesValue === undefined || others.length > 0) return argv;
    verb += takesValue && flag === word ? 2 : 1;
  }
  if (verb === 0 || verb >= argv.length) return argv;
  const endOf = (inner: readonly Command[], at: number): number => {
    const found = inner.find(({ name }) => name === argv[at]);
    return found === undefined ? at : endOf(found.subcommands ?? [], at + 1);
  };
  const end = Math.max(verb + 1, endOf(commands, verb));
  return [...argv.slice(verb, end), ...argv.slice(0, verb), ...argv.slice(end)];
}

function withSubcommands(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((one) => [one, ...withSubcommands(one.subcommands ?? [])]);
}
