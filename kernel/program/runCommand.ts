import { isatty } from 'node:tty';
import { wantedPlugins } from '../config/plugins.ts';
import { loadSettings } from '../config/settings.ts';
import type {
  CheckedConfiguration,
  Command,
  Invocation,
  LoadedPlugins,
  Terminal,
} from '../contracts/command.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Review } from '../contracts/configured.ts';
import type { Env } from '../contracts/settings.ts';
import { Cancellation } from '../lib/cancellation.ts';
import { compose, logFor } from './compose.ts';
import { directoryIssue } from './firstRun.ts';
import { directoryOf, readOptions } from './options.ts';
import type { Options } from './options.ts';

/** 128 + SIGINT, as shells report it. */
const INTERRUPTED = 130;

type Typed = Pick<Invocation, 'args' | 'commands'> & { readonly values: JsonObject };

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
  const directory = directoryOf(configPath);
  const code = await command.run?.({
    args,
    options,
    directory,
    env: process.env,
    cancel,
    terminal: terminal(),
    commands,
    plugins: () => loadPlugins(directory, process.env),
    check: (review) => checkConfiguration(readOptions(values), review),
  });
  return cancel.reason === 'SIGINT' ? INTERRUPTED : (code ?? 0);
}

/** The settings of a directory and the plugins that they name. */
export async function loadPlugins(directory: string, env: Env): Promise<LoadedPlugins> {
  const { settings, origin, issues } = await loadSettings(directory, () => []);
  if (settings === undefined) return { on: [], off: [], issues };
  const { wanted, off, issues: more } = await wantedPlugins({ settings, origin, directory, env });
  return { settings, on: wanted.map(({ plugin }) => plugin), off, issues: [...issues, ...more] };
}

async function checkConfiguration(options: Options, review: Review): Promise<CheckedConfiguration> {
  const fault = directoryIssue(options.directory);
  if (fault !== undefined) return { issues: [fault], definitions: [] };
  const log = logFor(options, () => pipeline.logLevel);
  const { pipeline } = compose(options, log, { path: undefined }, new Cancellation());
  const issues = await pipeline.check(review);
  return { issues, definitions: pipeline.kinds().flatMap(({ name }) => pipeline.resources(name)) };
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
