import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../contracts/json.ts';
import type { LogFormat, LogLevel } from '../log.ts';
import { nearest } from '../lib/nearest.ts';

export const USAGE = `Pegboard: one MCP endpoint for all your MCP servers

Usage
  pegboard serve [options]    serve the endpoint until stopped
  pegboard check [options]    check config.yaml and all definitions, start nothing
  pegboard --help | --version

Options
  --config-path DIR    configuration directory      (default ~/.config/pegboard)
  --state-path DIR     keys and caches              (default <config-path>/state, or PEGBOARD_STATE_PATH)
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
  readonly statePath: string;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
  readonly output: 'text' | 'json';
  /** Warnings count as errors for the exit code of check. */
  readonly strict: boolean;
  /** What the flags say of `aggregator`; wins over config.yaml. */
  readonly flags: JsonObject;
}

/** A command line that cannot be understood; the message says what to type. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parse(argv);
  const directory = resolve(values['config-path'] ?? join(homedir(), '.config', 'pegboard'));
  return {
    verb: verbOf(values, positionals),
    directory,
    statePath: resolve(values['state-path'] ?? env['PEGBOARD_STATE_PATH'] ?? join(directory, 'state')),
    logFormat: oneOf('--log-format', values['log-format'] ?? 'text', ['text', 'json']),
    logLevel: oneOf('--log-level', values['log-level'] ?? 'info', ['debug', 'info', 'warn', 'error']),
    output: oneOf('--output', values.output ?? 'text', ['text', 'json']),
    strict: values.strict === true,
    flags: { aggregator: aggregatorFlags(values) },
  };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        'config-path': text,
        'state-path': text,
        host: text,
        port: text,
        transport: text,
        'log-format': text,
        'log-level': text,
        output: text,
        strict: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split('\n', 1)[0]);
  }
}
type Values = ReturnType<typeof parse>['values'];

function verbOf(values: Values, [verb, ...rest]: readonly string[]): Options['verb'] {
  if (values.help || verb === 'help') return 'help';
  if (values.version) return 'version';
  if (verb === undefined) throw new UsageError('which command? try: pegboard serve');
  const known = VERBS.find((one) => one === verb);
  if (known === undefined) {
    const [close] = nearest(verb, VERBS, 1);
    throw new UsageError(`unknown command ${verb}${close === undefined ? '' : `; did you mean ${close}?`}`);
  }
  if (rest.length > 0) throw new UsageError(`${verb} takes no argument ${rest.join(' ')}`);
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
