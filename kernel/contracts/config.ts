import type { Issue, Resource, ResourceKind } from './resource.ts';
import type { Settings } from './settings.ts';
import { one } from '../capabilities.ts';
import type { JsonObject } from './json.ts';

export type { Issue };

/** What one run of the pipeline did. */
export interface ReloadReport {
  /** Counts runs from 1. */
  readonly generation: number;
  /** False when config.yaml or the plugins could not be taken over; the old ones go on. */
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
  settings(): Settings;
  /** The definitions in force. */
  resources(kind: string): readonly Resource[];
  /** The kinds of definitions that running plugins own. */
  kinds(): readonly ResourceKind[];
  /** Runs the pipeline, or joins the run that will see what is on disk now. Never call it from a tap. */
  reload(): Promise<ReloadReport>;
  lastReport(): ReloadReport | undefined;
  /** Checks a definition as the pipeline would, storing nothing. */
  validate(kind: string, name: string, spec: JsonObject): readonly Issue[];
  /** Merges unsaved edits over config.yaml (`undefined` drops them all); takes effect with the next reload().
   *  @param edits asked with every load for the keys to merge, and shown what the file says */
  amend(edits: ((file: JsonObject) => JsonObject) | undefined): void;
}
export const ConfigControl = one<ConfigControl>('config-control');

/** Where files that outlive a restart go; provided by the kernel. */
export interface StateDirectory {
  /** Absolute path, mode 0700; undefined when the place is read-only and nothing survives a restart. */
  readonly path: string | undefined;
}
export const StateDirectory = one<StateDirectory>('state-directory');
