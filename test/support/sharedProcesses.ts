import { makeDirectory } from './directory.ts';
import type { Directory } from './directory.ts';
import type { RedisServer } from './redis.ts';
import { servePegboard } from './serve.ts';
import type { Pegboard } from './serve.ts';

const KEYS = 'keys.json';

export interface SharedProcesses {
  /** The configuration of all of them. */
  readonly directory: Directory;
  /** Starts one with a state directory of its own, and waits for its first server. */
  start(name: string): Promise<Pegboard>;
}

/** Processes with one configuration, one Redis and one key file.
 *  @param definition of their one MCP server @param plugins configuration of plugins besides those of the state */
export function sharedProcesses(
  redis: RedisServer,
  [server, definition]: readonly [string, object],
  plugins: object = {},
): SharedProcesses {
  const state = { 'vault-file': false, 'vault-redis': { config: { url: redis.url } } };
  const directory = makeDirectory({
    'config.yaml': JSON.stringify({ plugins: { ...state, ...plugins } }),
    [`mcpservers/${server}.yaml`]: JSON.stringify(definition),
  });
  const env = { PEGBOARD_KEYS_FILE: directory.at(KEYS) };
  const start = async (name: string): Promise<Pegboard> => {
    const args = ['--state-path', directory.at(`states/${name}`)];
    const gateway = await servePegboard(directory.path, args, { env });
    await gateway.logged('server connected');
    return gateway;
  };
  return { directory, start };
}
