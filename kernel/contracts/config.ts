import type { Issue, Resource, ResourceKind } from './resource.ts';
import type { Settings } from './settings.ts';
import { one } from '../capabilities.ts';
import type { JsonObject, JsonSchema } from './json.ts';

export type { Issue };

/** What one run of the pipeline did. */
export interface ReloadReport {
  /** Counts runs from 1. */
  readonly generation: number;
  /** False if config.yaml or the plugins could not be applied; the old ones stay in force. */
  readonly applied: boolean;
  /** Plugin name → what happened to it; plugins that were kept are left out. */
  readonly actions: Readonly<Record<string, PluginAction>>;
  readonly diff: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  readonly issues: readonly Issue[];
  readonly ms: number;
}
export type PluginAction = 'start' | 'stop' | 'restart' | 'reload' | 'keep';

/** The configuration pipeline; provided by the kernel. */
export interface ConfigControl {
  /** Absolute path of the configuration directory. */
  readonly directory: string;
  /** config.yaml in force; empty if there was none. */
  readonly text: string;
  settings(): Settings;
  /** The definitions in force. */
  resources(kind: string): readonly Resource[];
  /** The kinds of definitions that running plugins own. */
  kinds(): readonly ResourceKind[];
  /** The schemas of the configurations of running plugins, by name. */
  configSchemas(): Readonly<Record<string, JsonSchema>>;
  /** Runs the pipeline, or joins a queued run, which will read the files as they are now. Never call it from a tap. */
  reload(): Promise<ReloadReport>;
  lastReport(): ReloadReport | undefined;
  /** Checks a definition as the pipeline would, storing nothing. */
  validate(kind: string, name: string, spec: JsonObject): readonly Issue[];
  /** Merges unsaved edits over config.yaml (`undefined` drops them all); takes effect with the next reload().
   *  @param edits called on every load with the content of config.yaml; returns the keys to merge */
  amend(edits: ((file: JsonObject) => JsonObject) | undefined): void;
  /** Keeps the settings in force while config.yaml may be half written (`undefined`: reads every text).
   *  @param isHeld called on every load with the content of config.yaml; true: that text is not read */
  hold(isHeld: ((text: string) => boolean) | undefined): void;
}
export const ConfigControl = one<ConfigControl>('config-control');

/** The folder for files that survive a restart; provided by the kernel. */
export interface StateDirectory {
  /** Absolute path, mode 0700; undefined if the folder is read-only, so that nothing survives a restart. */
  readonly path: string | undefined;
}
export const StateDirectory = one<StateDirectory>('state-directory');

/** Absolute path of the folder whose changed files are read again; without it they are read only when someone asks. */
export const WatchedDirectory = one<string>('watched-directory');
