import { Pipeline } from '../config/pipeline.ts';
import { ConfigControl, StateDirectory, WatchedDirectory } from '../contracts/config.ts';
import { Shutdown } from '../contracts/shutdown.ts';
import { Kernel } from '../kernel.ts';
import type { Cancellation } from '../lib/cancellation.ts';
import type { Log, LogLevel } from '../log.ts';
import { createLog } from './createLog.ts';
import type { Options } from './options.ts';

/** @param level the level of the settings; undefined before they are read */
export function logFor({ logFormat, logLevel }: Options, level: () => LogLevel | undefined): Log {
  return createLog({
    level: () => level() ?? logLevel,
    format: logFormat,
    colour: process.stderr.isTTY && process.env['NO_COLOR'] === undefined,
    write: (line) => process.stderr.write(line),
  });
}

export interface Gateway {
  readonly kernel: Kernel;
  readonly pipeline: Pipeline;
}

/** Kernel and pipeline over a configuration directory; nothing is read yet. */
export function compose(
  { directory, flags, placed }: Options,
  log: Log,
  state: StateDirectory,
  stop: Cancellation,
): Gateway {
  const pipeline: Pipeline = new Pipeline(
    { directory, flags, ...(placed && { placed }), log, env: process.env },
    () => kernel,
  );
  const shutdown: Shutdown = {
    request: (why) => stop.cancel(why),
    onRequest: (listener) => stop.onCancel(listener),
  };
  const kernel: Kernel = new Kernel({
    log,
    onFault: (plugin, error) => pipeline.recordFault(plugin, error),
    provisions: [
      { id: ConfigControl.id, value: pipeline },
      { id: StateDirectory.id, value: { path: state.path } satisfies StateDirectory },
      { id: WatchedDirectory.id, value: directory },
      { id: Shutdown.id, value: shutdown },
    ],
  });
  return { kernel, pipeline };
}
