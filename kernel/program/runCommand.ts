import { isatty } from 'node:tty';
import type { Command, Invocation, Terminal } from '../contracts/command.ts';
import type { JsonObject } from '../contracts/json.ts';
import { Cancellation } from '../lib/cancellation.ts';
import { directoryOf } from './options.ts';

/** 128 + SIGINT, as shells report it. */
const INTERRUPTED = 130;

interface Typed {
  readonly args: readonly string[];
  readonly values: JsonObject;
  readonly commands: Invocation['commands'];
}

/** Runs a verb of a plugin. The first Ctrl-C cancels what it does, the second ends at once. @throws as the verb */
export async function runCommand(command: Command, { args, values, commands }: Typed): Promise<number> {
  const cancel = new Cancellation();
  const end = (signal: NodeJS.Signals): void => {
    if (cancel.reason !== undefined) process.exit(INTERRUPTED);
    cancel.cancel(signal);
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  // `pegboard events -f | head`: what follows reaches no one.
  process.stdout.once('error', () => cancel.cancel('standard output takes no more'));
  const { configPath, ...options } = values as { readonly configPath?: string };
  const code = await command.run?.({
    args,
    options,
    directory: directoryOf(configPath),
    env: process.env,
    cancel,
    terminal: terminal(),
    commands,
  });
  return cancel.reason === 'SIGINT' ? INTERRUPTED : (code ?? 0);
}

function terminal(): Terminal {
  const isTerminal = isatty(1);
  return {
    input: process.stdin,
    isTerminal,
    hasColour: isTerminal && isatty(2) && process.env['NO_COLOR'] === undefined,
    // A terminal without a size has 0.
    columns: isTerminal && process.stdout.columns > 0 ? process.stdout.columns : 80,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  };
}
