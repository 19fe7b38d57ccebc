import { realpathSync } from 'node:fs';
import { ConfigControl, GatewayError, entryOf } from 'pegboard';
import type { Scope, Settings } from 'pegboard';

export interface WorkerCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The command of one worker: that of this process, with its place and without what only one process can have.
 *  @throws GatewayError PLUGIN_START if this process is not the program */
export function workerCommand(scope: Scope<unknown>, number: number, sockets: number): WorkerCommand {
  const program = process.argv[1] ?? '';
  if (!/[\\/]kernel[\\/]program[\\/]pegboard\.[jt]s$/.test(real(program)))
    throw new GatewayError(
      'PLUGIN_START',
      'workers are processes of pegboard serve, and this is another program',
    );
  const settings = scope.get(ConfigControl).settings();
  const { host, port } = settings.aggregator;
  const words = process.argv.slice(2);
  const place = ['--host', host, '--port', String(port), '--log-format', 'json'];
  const own = ownSettings(settings, number).flatMap(([key, value]) => [
    '--set',
    `${key}=${JSON.stringify(value)}`,
  ]);
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  return {
    args: [...flags, program, ...(words.includes('serve') ? [] : ['serve']), ...words, ...place, ...own],
    env: {
      ...process.env,
      PEGBOARD_WORKER: String(number),
      LISTEN_FDS: String(sockets),
    },
  };
}

/** Whether this process keeps the state of all; else each has the store that they share. */
function keepsState({ plugins }: Settings): boolean {
  return plugins['vault-file'] !== false || typeof plugins['vault-memory'] === 'object';
}

/** What differs from the settings of the first process. */
export function ownSettings(settings: Settings, number: number): readonly (readonly [string, unknown])[] {
  // Also with another vault: after an edit, a worker must not take the file before the first process does.
  const own: [string, unknown][] = [
    ['plugins.vault-file', false],
    ['plugins.vault-memory', false],
    ['plugins.vault-workers', keepsState(settings) && {}],
  ];
  const { directory = 'state/audit' } = (entryOf(settings, 'audit').config ?? {}) as {
    readonly directory?: string;
  };
  // A trail is a chain, which one process writes.
  if ((settings.plugins['audit'] ?? false) !== false)
    own.push(['plugins.audit.config.directory', `${directory}-worker-${number}`]);
  return own;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
