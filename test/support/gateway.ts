import { Pipeline } from '../../kernel/config/pipeline.ts';
import { ConfigControl, StateDirectory, WatchedDirectory } from '../../kernel/contracts/config.ts';
import type { ReloadReport } from '../../kernel/contracts/config.ts';
import type { JsonObject } from '../../kernel/contracts/json.ts';
import type { Plugin } from '../../kernel/contracts/plugin.ts';
import { Shutdown } from '../../kernel/contracts/shutdown.ts';
import { Kernel } from '../../kernel/kernel.ts';
import { builtInNames } from '../../kernel/loader.ts';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import type { Directory, Files } from './directory.ts';
import { captureLog } from './log.ts';
import type { CapturedLog } from './log.ts';

export interface GatewayOptions {
  /** `config.yaml` and other files of the configuration directory. */
  readonly files?: Files;
  /** An existing directory instead of a new one. */
  readonly directory?: Directory;
  /** Built-in plugins that may run; all others are switched off. Default: none of them. */
  readonly builtIns?: readonly string[] | 'all';
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of `aggregator` that override config.yaml, as the flags of serve do. */
  readonly aggregator?: JsonObject;
  readonly drainMs?: number;
  /** Whether the plugin live-reload, if it may run, watches the directory, as in main.ts. Default: no. */
  readonly isWatched?: boolean;
}
export interface Gateway {
  readonly kernel: Kernel;
  readonly pipeline: Pipeline;
  readonly directory: Directory;
  readonly log: CapturedLog;
  /** Reason for which a plugin requested the end of the process. */
  readonly shutdowns: readonly string[];
  boot(): Promise<ReloadReport>;
  stop(): Promise<void>;
}

/** Kernel and pipeline over a temporary directory, composed as in main.ts, not booted yet; stopped after the test. */
export async function composeGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const {
    files = {},
    directory = makeDirectory(files),
    builtIns = [],
    env = {},
    aggregator = {},
    drainMs,
    isWatched = false,
  } = options;
  const log = captureLog();
  const shutdowns: string[] = [];
  const flags = { aggregator, plugins: await switchedOff(builtIns) };
  const pipeline: Pipeline = new Pipeline({ directory: directory.path, flags, log, env }, () => kernel);
  const kernel: Kernel = new Kernel({
    log,
    ...(drainMs === undefined ? {} : { drainMs }),
    onFault: (plugin, error) => pipeline.recordFault(plugin, error),
    provisions: [
      { id: ConfigControl.id, value: pipeline },
      { id: StateDirectory.id, value: { path: directory.at('state') } satisfies StateDirectory },
      ...(isWatched ? [{ id: WatchedDirectory.id, value: directory.path }] : []),
      {
        id: Shutdown.id,
        value: { request: (why) => shutdowns.push(why), onRequest: () => () => undefined } satisfies Shutdown,
      },
    ],
  });
  // As in main.ts: a run of the pipeline would start plugins again.
  const stop = async (): Promise<void> => {
    await pipeline.close();
    await kernel.stop();
  };
  defer(stop);
  return { kernel, pipeline, directory, log, shutdowns, boot: () => pipeline.boot(), stop };
}

/** composeGateway, then boot. @throws BootFailure */
export async function bootGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await composeGateway(options);
  await gateway.boot();
  return gateway;
}

async function switchedOff(allowed: readonly string[] | 'all'): Promise<Record<string, false>> {
  if (allowed === 'all') return {};
  const others = (await builtInNames()).filter((name) => !allowed.includes(name));
  return Object.fromEntries(others.map((name) => [name, false]));
}

const pluginsOfTests = Symbol.for('pegboard.test.plugins');

/** Text of a module that exports the given object, so that the real loader loads a plugin defined in a test. */
export function moduleOf(plugin: Plugin): string {
  const shared = globalThis as Partial<Record<symbol, Plugin[]>>;
  const at = (shared[pluginsOfTests] ??= []).push(plugin) - 1;
  return `export const plugin = globalThis[Symbol.for('pegboard.test.plugins')][${at}];\n`;
}
