import { join, resolve } from 'node:path';
import { homeFolder } from '../lib/homeFolder.ts';
import type { Command, CommandOption } from '../contracts/command.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Env } from '../contracts/settings.ts';
import type { LogLevel } from '../log.ts';
import { isObject } from '../lib/json.ts';
import { UsageError } from './commandLine.ts';
import type { LogFormat } from './createLog.ts';
import { readSetFlags } from './setFlags.ts';

export interface Options {
  readonly directory: string;
  /** Whether no flag named the directory: then the first start creates it. */
  readonly isDefaultDirectory: boolean;
  readonly statePath: string;
  readonly logFormat: LogFormat;
  /** The level until the settings are read. */
  readonly logLevel: LogLevel;
  /** The settings from flags; they override config.yaml. */
  readonly flags: JsonObject;
  /** Where a fault is: in config.yaml, or at a flag. */
  readonly placed?: ReturnType<typeof readSetFlags>['placed'];
}

/** Flags of serve, and of each verb that reads the configuration as serve does. */
const READING: readonly CommandOption[] = [
  {
    flags: '--state-path <dir>',
    description: 'keys and caches (default <config-path>/state)',
    env: 'PEGBOARD_STATE_PATH',
  },
  {
    flags: '--extra-ca-file <file>',
    description: 'PEM file of further certificate authorities (default from config.yaml)',
  },
  {
    flags: '--log-format <format>',
    description: 'how log lines are written (default text, in a Kubernetes pod json)',
    choices: ['text', 'json'],
  },
  {
    flags: '--log-level <level>',
    description: 'least important lines to write (default from config.yaml)',
    choices: ['debug', 'info', 'warn', 'error'],
  },
  { flags: '--debug', description: 'the same as --log-level debug' },
  {
    flags: '--set <key=value>',
    description:
      'a setting of config.yaml, such as aggregator.port=9000; wins over the file; may be repeated',
    isList: true,
  },
];
export const SERVE_OPTIONS: readonly CommandOption[] = [
  { flags: '--host <name>', description: 'address to listen on (default from config.yaml)' },
  { flags: '--port <number>', description: 'port, 0 takes a free one (default from config.yaml)' },
  {
    flags: '--transport <name>',
    description: 'how clients connect (default from config.yaml)',
    choices: ['streamable-http', 'sse', 'stdio'],
  },
  { flags: '--workers <count>', description: 'processes that serve the port together, or auto (default 1)' },
  ...READING,
];

/** The verb with all its flags. */
export function withFlags(command: Command): Command {
  if (command.readsConfiguration !== true) return command;
  return { ...command, options: [...(command.options ?? []), ...READING] };
}

/** The configuration directory that the flag or the default names: absolute. @throws UsageError without a home folder */
export function directoryOf(configPath: string | undefined): string {
  if (configPath !== undefined) return resolve(configPath);
  const home = homeFolder();
  if (home !== undefined) return resolve(home, '.config', 'pegboard');
  throw new UsageError('HOME is not set, and the user has no home folder; name the directory: --config-path');
}

/** @param values the flags of serve, by their names in camel case @throws UsageError */
export function readOptions(values: JsonObject, env: Env = process.env): Options {
  const typed = values as unknown as Flags;
  const flags = typed.debug === true ? { ...typed, logLevel: 'debug' as const } : typed;
  const directory = directoryOf(flags.configPath);
  const { values: settings, placed } = readSetFlags(flags.set ?? [], flags.workers);
  const { aggregator = {}, ...set } = settings;
  const own = aggregatorFlags(flags);
  return {
    directory,
    isDefaultDirectory: flags.configPath === undefined,
    statePath: resolve(flags.statePath ?? join(directory, 'state')),
    logFormat: flags.logFormat ?? (env['KUBERNETES_SERVICE_HOST'] === undefined ? 'text' : 'json'),
    logLevel: flags.logLevel ?? 'info',
    // Anything else is left for the schema to refuse.
    flags: { ...set, aggregator: isObject(aggregator) ? { ...aggregator, ...own } : aggregator },
    ...((flags.set ?? flags.workers) !== undefined && { placed }),
  };
}

/** What commander has checked. */
interface Flags {
  readonly configPath?: string;
  readonly statePath?: string;
  readonly host?: string;
  readonly port?: string;
  readonly transport?: string;
  readonly workers?: string;
  readonly extraCaFile?: string;
  readonly logFormat?: LogFormat;
  readonly logLevel?: LogLevel;
  readonly debug?: boolean;
  readonly set?: readonly string[];
}

function aggregatorFlags({ host, port, transport, extraCaFile, logLevel }: Flags): JsonObject {
  const file = extraCaFile === undefined ? undefined : resolve(extraCaFile);
  const plain = Object.entries({ host, transport, logLevel, extraCaFile: file });
  const flags: Record<string, unknown> = Object.fromEntries(plain.filter(([, value]) => value !== undefined));
  if (port !== undefined) {
    const number = /^\d{1,5}$/.test(port) ? Number(port) : NaN;
    if (!(number <= 65_535)) throw new UsageError(`--port must be a number from 0 to 65535, not ${port}`);
    flags['port'] = number;
  }
  return flags;
}
