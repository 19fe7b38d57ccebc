import { many } from '../capabilities.ts';
import type { Cancellation } from '../lib/cancellation.ts';
import type { Issue } from './config.ts';
import type { JsonObject } from './json.ts';
import type { Plugin } from './plugin.ts';
import type { Resource } from './resource.ts';
import type { Review } from './configured.ts';
import type { Env, Settings } from './settings.ts';

/** A verb of the command line: `pegboard <name>`. Its plugin is started alone, without the gateway's others. */
export interface Command {
  readonly name: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  readonly parameters?: readonly CommandParameter[];
  readonly options?: readonly CommandOption[];
  /** Complete command lines for `--help`; two at least, unless it has subcommands. */
  readonly examples?: readonly string[];
  readonly subcommands?: readonly Command[];
  /** Unknown flags are passed to run() as arguments instead of being refused. */
  readonly takesAnyFlag?: boolean;
  /** Rewrites what was typed after the verb before its flags are looked for. */
  readonly readWords?: (words: readonly string[]) => readonly string[];
  /** Not in the list of verbs. */
  readonly isHidden?: boolean;
  /** Whether it calls check(): it has the flags of `serve` for that, too. */
  readonly readsConfiguration?: boolean;
  /** Runs when `pegboard` is typed alone on a terminal; with exit code 0 and a first configuration written, the gateway starts. */
  readonly isFirstStart?: boolean;
  /** Absent for a verb that only has subcommands, and for serve. @returns the exit code @throws GatewayError; its message goes to standard error */
  run?(invocation: Invocation): Promise<number>;
}
export interface CommandParameter {
  /** `<tool>` is required, `[name]` optional, `[words...]` takes the rest. */
  readonly name: string;
  readonly description: string;
}
export interface CommandOption {
  /** `-o, --output <format>`; without `<…>` a switch. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** The environment variable that is used without the flag. */
  readonly env?: string;
  /** May be given several times: its value is a list. */
  readonly isList?: boolean;
}

/** One run of a verb. */
export interface Invocation {
  /** The arguments in order; with `takesAnyFlag` also unknown flags. */
  readonly args: readonly string[];
  /** Values of flags by their names in camel case: text, true, or a list of texts. */
  readonly options: JsonObject;
  /** The configuration directory: absolute. */
  readonly directory: string;
  readonly env: Env;
  /** Cancelled by the first Ctrl-C; the second ends the process. */
  readonly cancel: Cancellation;
  readonly terminal: Terminal;
  /** All verbs, for help and completion. */
  readonly commands: () => Promise<readonly Command[]>;
  /** Loads the plugins of the configuration directory as `pegboard check` does; none is wired or started. */
  readonly plugins: () => Promise<LoadedPlugins>;
  /** Reads and checks the whole configuration as `serve` would; nothing is started.
   *  @param review checks the configuration as a whole; not called if config.yaml is broken */
  readonly check: (review: Review) => Promise<CheckedConfiguration>;
}
export interface CheckedConfiguration {
  readonly issues: readonly Issue[];
  /** Definitions without errors. */
  readonly definitions: readonly Resource[];
}
/** The built-in plugins and those that config.yaml names. */
export interface LoadedPlugins {
  /** Absent if config.yaml has errors; no plugin is loaded then. */
  readonly settings?: Settings;
  readonly on: readonly Plugin[];
  readonly off: readonly Plugin[];
  readonly issues: readonly Issue[];
}
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether colours and spinners may be written: both outputs are terminals, and NO_COLOR is not set. */
  readonly hasColour: boolean;
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
}
export const Command = many<Command>('command');
