import { makeDirectory } from './directory.ts';
import type { Directory } from './directory.ts';
import type { RedisServer } from './redis.ts';
import { servePegboard } from './serve.ts';
import type { Pegboard } from './serve.ts';

const KEYS = 'keys.json';

export interface SharedProcesses {
  /** The configuration of all of them. */
  readonly directory: Directory;
  /** Starts one with a state directory of its own, and waits for its first server. @param args of its command line */
  readonly start: (name: string, args?: readonly string[]) => Promise<Pegboard>;
}
export interface SharedOptions {
  /** `aggregator` of the configuration. */
  readonly aggregator?: object;
  /** JavaScript that runs in each process first. */
  readonly code?: string;
}

/** Processes with one configuration, one Redis and one key file.
 *  @param definition of their one MCP server; they need not have one @param plugins configuration of plugins besides those of the state */
export function sharedProcesses(
  redis: RedisServer,
  [server, definition]: readonly [string, object] | readonly [],
  plugins: object = {},
  { aggregator = {}, code }: SharedOptions = {},
): SharedProcesses {
  const state = { 'vault-file': false, 'vault-redis': { config: { url: redis.url } } };
  const directory = makeDirectory({
    'config.yaml': JSON.stringify({ aggregator, plugins: { ...state, ...plugins } }),
    ...(server !== undefined && { [`mcpservers/${server}.yaml`]: JSON.stringify(definition) }),
  });
  const env = {
    PEGBOARD_KEYS_FILE: directory.at(KEYS),
    ...(code !== undefined && {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
    }),
  };
  const start = async (name: string, more: readonly string[] = []): Promise<Pegboard> => {
    const args = ['--state-path', directory.at(`states/${name}`), ...more];
    const gateway = await servePegboard(directory.path, args, { env });
    if (server !== undefined) await gateway.logged('server connected');
    return gateway;
  };
  return { directory, start };
}
