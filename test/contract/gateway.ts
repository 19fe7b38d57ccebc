import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Pipeline } from '../../kernel/config/pipeline.ts';
import { ConfigControl, Shutdown, StateDirectory, WatchedDirectory } from '../../kernel/index.ts';
import { HttpListener } from '../../plugins/contracts/http.ts';
import type {
  Capability,
  Env,
  InboundRequest,
  PluginEntry,
  Reply,
  RequestFacts,
} from '../../kernel/index.ts';
import type { ReloadReport } from '../../kernel/index.ts';
import { Kernel } from '../../kernel/kernel.ts';
import { builtInNames } from '../../kernel/loader.ts';
import { keepRecords } from './log.ts';
import type { LogRecord } from './log.ts';

/** The section `plugins` of config.yaml. */
export type PluginEntries = Readonly<Record<string, boolean | PluginEntry>>;

export interface GatewayOptions {
  /** Configuration directory; default: a new one, removed by stop(). */
  readonly directory?: string;
  /** File name below the directory → text, written before the start. */
  readonly files?: Readonly<Record<string, string>>;
  /** Written as config.yaml. Leave it out to bring a config.yaml in `files` or in `directory`. */
  readonly plugins?: PluginEntries;
  /** Built-in plugins that may run; default `all`. */
  readonly builtIns?: readonly string[] | 'all';
  /** Environment passed to `enabled(settings, env)` of plugins. */
  readonly env?: Env;
}

export interface TestGateway {
  readonly directory: string;
  readonly control: ConfigControl;
  /** Everything logged so far. */
  readonly log: readonly LogRecord[];
  /** `http://127.0.0.1:<port>`. @throws GatewayError PLUGIN_MISSING without the plugin `http` */
  url(): string;
  /** The current value of a capability. @throws GatewayError PLUGIN_MISSING */
  get<T>(capability: Capability<T>): T;
  all<T>(capability: Capability<T>): readonly T[];
  /** Sends facts through onRequest, as a transport does. */
  open(facts: RequestFacts): Promise<InboundRequest | Reply>;
  /** Writes `plugins` as config.yaml and applies it. */
  configure(plugins: PluginEntries): Promise<ReloadReport>;
  /** Restarts one plugin with the configuration it has. */
  restart(name: string): Promise<void>;
  /** Stops everything and removes the files startGateway created; may be called again. */
  stop(): Promise<void>;
}

/** A complete gateway in this process, composed as by `pegboard serve`, on a free port of 127.0.0.1.
 *  @throws BootFailure, whose `issues` are all faults of the configuration */
export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'pegboard-')));
  const remove = (): Promise<void> =>
    options.directory === undefined
      ? rm(directory, { recursive: true, force: true, maxRetries: 3 })
      : Promise.resolve();
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  };
  const writePlugins = (plugins: PluginEntries): Promise<void> =>
    write('config.yaml', `${JSON.stringify({ plugins }, null, 2)}\n`);

  const { log, records } = keepRecords();
  const { kernel, pipeline } = await compose(directory, options, log);
  try {
    await mkdir(join(directory, 'state'), { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(options.files ?? {})) await write(name, text);
    if (options.plugins !== undefined) await writePlugins(options.plugins);
    await pipeline.boot();
  } catch (error) {
    await remove();
    throw error;
  }
  const get = <T>({ id }: Capability<T>): T => kernel.registry.get(id) as T;
  const stop = async (): Promise<void> => {
    // A reload that live-reload has begun would restart plugins that are being stopped.
    await pipeline.close();
    await kernel.stop();
    await remove();
  };
  let stopped: Promise<void> | undefined;
  return {
    directory,
    control: pipeline,
    log: records,
    url: () => get(HttpListener).url() ?? '',
    get,
    all: <T>({ id }: Capability<T>) => kernel.registry.all(id) as readonly T[],
    open: (facts) => kernel.gate.open(facts),
    configure: async (plugins) => {
      await writePlugins(plugins);
      return pipeline.reload();
    },
    restart: async (name) => {
      // Another object under the same name is another plugin, so it is restarted even if it has onReload.
      const renew = kernel.running.map((one) =>
        one.plugin.name === name ? { ...one, plugin: { ...one.plugin } } : one,
      );
      await kernel.move(renew);
    },
    stop: () => (stopped ??= stop()),
  };
}

async function compose(
  directory: string,
  { builtIns = 'all', env = {} }: GatewayOptions,
  log: ReturnType<typeof keepRecords>['log'],
): Promise<{ kernel: Kernel; pipeline: Pipeline }> {
  const flags = { aggregator: { host: '127.0.0.1', port: 0 }, plugins: await switchedOff(builtIns) };
  const pipeline: Pipeline = new Pipeline({ directory, flags, log, env }, () => kernel);
  const kernel: Kernel = new Kernel({
    log,
    onFault: (plugin, error) => pipeline.recordFault(plugin, error),
    provisions: [
      { id: ConfigControl.id, value: pipeline },
      { id: StateDirectory.id, value: { path: join(directory, 'state') } satisfies StateDirectory },
      { id: WatchedDirectory.id, value: directory },
      {
        id: Shutdown.id,
        value: { request: () => undefined, onRequest: () => () => undefined } satisfies Shutdown,
      },
    ],
  });
  return { kernel, pipeline };
}

async function switchedOff(allowed: readonly string[] | 'all'): Promise<Record<string, false>> {
  if (allowed === 'all') return {};
  const others = (await builtInNames()).filter((name) => !allowed.includes(name));
  return Object.fromEntries(others.map((name) => [name, false]));
}
