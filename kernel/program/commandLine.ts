import { Command as Program, CommanderError, Option } from 'commander';
import type { Command, CommandOption } from '../contracts/command.ts';
import type { JsonObject } from '../contracts/json.ts';
import { VERSION } from '../lib/version.ts';
import { CONFIG_PATH, verbFirst } from './verbFirst.ts';

/** A command line that cannot be understood; the message shows what to type. */
export class UsageError extends Error {
  /** The command whose help says more. */
  command = 'pegboard';
}

/** Columns below which help has no room beside its terms. */
const NARROW = 60;
const EXIT_CODES =
  'Exit codes: 0 done, 1 failed, 2 sign-in needed (serve, check: configuration), 3 sign-in failed (plugin or start-up), 4 store unreachable, 64 usage';

export interface CommandLineParts {
  readonly commands: readonly Command[];
  readonly columns: number;
  readonly hasColour: boolean;
  /** Writes help and version. */
  readonly write: (text: string) => void;
  /** Runs the verb that was typed. @returns the exit code */
  readonly run: (command: Command, args: readonly string[], values: JsonObject) => Promise<number>;
}

/** Parses a command line and runs its verb. Each flag is written once, in its command: help and refusals come from it.
 *  @returns the exit code @throws UsageError */
export async function runCommandLine(line: readonly string[], parts: CommandLineParts): Promise<number> {
  const argv = verbFirst(line, parts.commands);
  let code = 0;
  const program = new Program('pegboard')
    .description('One MCP endpoint for all your MCP servers')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', `\n${EXIT_CODES}`);
  const finished = (ran: number): void => void (code = ran);
  for (const command of parts.commands) addCommand(program, command, { ...parts, finished });
  for (const one of family(program)) quieten(one, parts);
  try {
    const read = parts.commands.find(({ name }) => name === argv[0])?.readWords ?? ((words) => words);
    await program.parseAsync([...argv.slice(0, 1), ...read(argv.slice(1))], { from: 'user' });
  } catch (error) {
    // Help or version was written.
    if (!(error instanceof CommanderError)) throw error;
  }
  return code;
}

type Built = CommandLineParts & { readonly finished: (code: number) => void };

function addCommand(parent: Program, command: Command, parts: Built): void {
  const { name, summary, parameters = [], options = [], examples = [], subcommands = [] } = command;
  const own = parent.command(name, { hidden: command.isHidden === true }).description(summary);
  for (const { name: parameter, description } of parameters) own.argument(parameter, description);
  for (const option of [...options, CONFIG_PATH]) own.addOption(optionOf(option));
  if (command.takesAnyFlag === true) own.allowUnknownOption().allowExcessArguments();
  if (examples.length > 0)
    own.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  for (const sub of subcommands) addCommand(own, sub, parts);
  if (command.run === undefined && subcommands.length > 0) return;
  own.action(async () => parts.finished(await parts.run(command, own.args, own.optsWithGlobals())));
}

function optionOf({ flags, description, choices, default: value, env, isList }: CommandOption): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (value !== undefined) option.default(value);
  if (env !== undefined) option.env(env);
  if (isList === true)
    option.argParser((next: string, before: readonly string[] | undefined) => [...(before ?? []), next]);
  return option;
}

function family(program: Program): readonly Program[] {
  return [program, ...program.commands.flatMap((one) => family(one))];
}

/** Commander would write errors itself and end the process. Narrow terminals have descriptions below their terms. */
function quieten(program: Program, { write, columns, hasColour }: CommandLineParts): void {
  if (columns < NARROW)
    program.configureHelp({
      minWidthToWrap: 1,
      formatItem: (term, _, text, help) =>
        `  ${term}\n    ${help.boxWrap(text, columns - 4).replaceAll('\n', '\n    ')}`,
    });
  program
    .exitOverride((error) => end(error, program))
    .configureOutput({
      writeOut: write,
      writeErr: () => undefined,
      getOutHelpWidth: () => columns,
      getOutHasColors: () => hasColour,
    });
}

/** @throws UsageError, or `error` itself where help or the version was written */
function end(error: CommanderError, program: Program): never {
  if (error.exitCode === 0) throw error;
  const names = program.commands.map((one) => one.name()).join(', ');
  const which = program.parent === null ? 'pegboard serve starts the gateway' : `it takes ${names}`;
  const text = error.code === 'commander.help' ? `which command? ${which}` : wordsOf(error.message);
  // `pegboard list [options] <kind>`
  const [command = ''] = program.createHelp().commandUsage(program).split(' [');
  throw Object.assign(new UsageError(text), { command });
}

/** `error: unknown option '--prot'\n(Did you mean --port?)` → `unknown option '--prot'; did you mean --port?` */
function wordsOf(message: string): string {
  return message.replace(/^error: /, '').replace(/\.?\n\(Did you mean ([^()]*)\)$/, '; did you mean $1');
}
