import type { CommandOption, Invocation } from 'pegboard';

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/** What every verb that talks to a gateway understands. */
export const COMMON_OPTIONS: readonly CommandOption[] = [
  {
    flags: '-o, --output <format>',
    description: 'form of the output',
    choices: ['table', 'wide', 'json', 'yaml', 'name'],
    default: 'table',
  },
  { flags: '--no-headers', description: 'tables without their first line' },
  { flags: '-q, --quiet', description: 'print results and errors only' },
  { flags: '--endpoint <url>', description: 'URL of the gateway', env: 'PEGBOARD_ENDPOINT' },
  { flags: '--context <name>', description: 'a gateway of `pegboard context list`', env: 'PEGBOARD_CONTEXT' },
  { flags: '--toolset <selectors>', description: 'narrow what is visible, as X-Service-Toolset does' },
  { flags: '--timeout <seconds>', description: 'how long to wait for an answer', default: '300' },
  { flags: '--extra-ca-file <file>', description: 'PEM file of further certificate authorities' },
  { flags: '--debug', description: 'show MCP messages on standard error, without secrets' },
];

export interface CommonOptions {
  readonly output: OutputFormat;
  /** False with --no-headers. */
  readonly headers: boolean;
  readonly quiet?: boolean;
  readonly endpoint?: string;
  readonly context?: string;
  readonly toolset?: string;
  readonly timeout: string;
  readonly extraCaFile?: string;
  readonly debug?: boolean;
}

/** The values of COMMON_OPTIONS, and those of the verb's own. */
export function optionsOf<T>({ options }: Invocation): CommonOptions & T {
  return options as unknown as CommonOptions & T;
}
