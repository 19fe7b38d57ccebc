import type { Finding } from './finding.ts';
import type { Plugin, Wanted } from './plugin.ts';
import type { Issue, Resource, ResourceKind } from './resource.ts';
import type { Env, Settings } from './settings.ts';

/** The whole configuration, for checks that need more than one part of it. */
export interface Configured {
  readonly wanted: readonly Wanted[];
  /** Plugins that are there and should not run. */
  readonly off: readonly Plugin[];
  readonly kinds: readonly ResourceKind[];
  readonly resources: readonly Resource[];
  readonly settings: Settings;
  readonly env: Env;
  readonly directory: string;
  /** Names of the tools that plugins register themselves. */
  readonly tools: readonly string[];
  /** Turns a finding on a plugin's configuration into an issue with its place in config.yaml. */
  readonly place: (plugin: Plugin, finding: Finding) => Issue;
}
export type Review = (configured: Configured) => Promise<readonly Issue[]>;
