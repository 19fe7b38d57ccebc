import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../contracts/json.ts';
import type { LogLevel } from '../log.ts';
import { nearest } from '../lib/nearest.ts';
import type { LogFormat } from './createLog.ts';

export const USAGE = `Pegboard: one MCP endpoint for all your MCP servers

Usage
  pegboard serve [options]    serve the endpoint until stopped
  pegboard check [options]    check config.yaml and all definitions, start nothing
  pegboard help | version     (--help, -h; --version, -v)

Options
  --config-path DIR    configuration directory      (default ~/.config/pegboard)
  --state-path DIR     keys and caches              (serve; default <config-path>/state, or PEGBOARD_STATE_PATH)
  --host H             address to listen on         (serve; default from config.yaml)
  --port N             port, 0 takes a free one     (serve; default from config.yaml)
  --transport T        streamable-http, sse, stdio  (serve; default from config.yaml)
  --log-format F       text or json                 (default text)
  --log-level L        debug, info, warn, error     (default info)
  --output F           text or json                 (check; default text)
  --strict             warnings count as errors     (check)

Exit codes
  0 done   1 unexpected   2 configuration   3 plugin or start-up   4 store unreachable   64 usage
`;

const TRANSPORTS = ['streamable-http', 'sse', 'stdio'];
const VERBS = ['serve', 'check'] as const;
type Verb = (typeof VERBS)[number];

export interface Options {
  readonly verb: Verb | 'help' | 'version';
  readonly directory: string;
  /** Whether no flag named the directory: then the first start creates it. */
  readonly isDefaultDirectory: boolean;
  readonly statePath: string;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
  readonly output: 'text' | 'json';
  /** Whether warnings count as errors for the exit code of check. */
  readonly strict: boolean;
  /** The settings of `aggregator` from flags; they override config.yaml. */
  readonly flags: JsonObject;
}

/** A command line that cannot be understood; the message shows what to type. */
export class UsageError extends Error {}

const TEXT = { type: 'string' } as const;
const FLAGS = {
  'config-path': TEXT,
  'state-path': TEXT,
  host: TEXT,
  port: TEXT,
  transport: TEXT,
  'log-format': TEXT,
  'log-level': TEXT,
  output: TEXT,
  strict: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
const ONLY = { serve: ['state-path', 'host', 'port', 'transport'], check: ['output', 'strict'] } as const;

/** @throws UsageError */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parse(argv);
  const named = values['config-path'];
  const directory = resolve(named ?? join(homedir(), '.config', 'pegboard'));
  return {
    verb: verbOf(values, positionals),
    directory,
    isDefaultDirectory: named === undefined,
    statePath: resolve(values['state-path'] ?? env['PEGBOARD_STATE_PATH'] ?? join(directory, 'state')),
    logFormat: oneOf('--log-format', values['log-format'] ?? 'text', ['text', 'json']),
    logLevel: oneOf('--log-level', values['log-level'] ?? 'info', ['debug', 'info', 'warn', 'error']),
    output: oneOf('--output', values.output ?? 'text', ['text', 'json']),
    strict: values.strict === true,
    flags: { aggregator: aggregatorFlags(values) },
  };
}

function parse(argv: readonly string[]) {
  const options = { args: [...argv], allowPositionals: true, options: FLAGS };
  for (const token of parseArgs({ ...options, strict: false, tokens: true }).tokens)
    if (token.kind === 'option' && !Object.hasOwn(FLAGS, token.name)) throw unknownFlag(token);
  try {
    return parseArgs(options);
  } catch (error) {
    throw new UsageError((error as Error).message.split('\n', 1)[0]);
  }
}
type Values = ReturnType<typeof parse>['values'];

function unknownFlag({ name, rawName }: { readonly name: string; readonly rawName: string }): UsageError {
  const [close] = nearest(name, Object.keys(FLAGS), 1);
  return new UsageError(`unknown flag ${rawName}${close === undefined ? '' : `; did you mean --${close}?`}`);
}

function verbOf(values: Values, [verb, ...rest]: readonly string[]): Options['verb'] {
  if (values.help || verb === 'help') return 'help';
  if (values.version || verb === 'version') return 'version';
  if (verb === undefined) throw new UsageError('which command? try: pegboard serve');
  const known = VERBS.find((one) => one === verb);
  if (known === undefined) {
    const [close] = nearest(verb, VERBS, 1);
    throw new UsageError(`unknown command ${verb}${close === undefined ? '' : `; did you mean ${close}?`}`);
  }
  if (rest.length > 0) throw new UsageError(`${verb} takes no argument ${rest.join(' ')}`);
  const other = known === 'serve' ? 'check' : 'serve';
  const odd = ONLY[other].find((flag) => values[flag] !== undefined);
  if (odd !== undefined) throw new UsageError(`${known} takes no --${odd}, which is for ${other}`);
  return known;
}

function aggregatorFlags({ host, port, transport }: Values): JsonObject {
  const flags: Record<string, unknown> = {};
  if (host !== undefined) flags['host'] = host;
  if (port !== undefined) {
    const number = /^\d{1,5}$/.test(port) ? Number(port) : NaN;
    if (!(number <= 65_535)) throw new UsageError(`--port must be a number from 0 to 65535, not ${port}`);
    flags['port'] = number;
  }
  if (transport !== undefined) flags['transport'] = oneOf('--transport', transport, TRANSPORTS);
  return flags;
}

function oneOf<T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new UsageError(`${flag} must be one of ${allowed.join(', ')}, not ${value}`);
  return found;
}
