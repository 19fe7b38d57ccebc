import type { Finding } from './finding.ts';
import type { Resource } from './resource.ts';
import type { Env, Settings } from './settings.ts';

/** The facts of a review: everything that is configured, nothing that runs. */
export interface ReviewFacts<C> {
  readonly config: C;
  readonly settings: Settings;
  readonly env: Env;
  /** Absolute path of the configuration directory. */
  readonly directory: string;
  /** Absolute path of the state directory, which need not exist; undefined if none was named. */
  readonly statePath: string | undefined;
  /** Whether it may connect to what is configured: `pegboard check --online`. */
  readonly isOnline: boolean;
  /** Definitions without errors. */
  readonly resources: readonly Resource[];
  /** Why no tool can have this name, with the next step; undefined if a tool has it or may have it. */
  readonly toolFault: (name: string) => string | undefined;
}

/** A finding on a definition, with `path` below its spec; without `resource`, on the plugin's own configuration. */
export interface ReviewFinding extends Finding {
  readonly resource?: Resource;
}
