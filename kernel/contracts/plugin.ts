import type { Capability } from '../capabilities.ts';
import type { ReviewFacts, ReviewFinding } from './review.ts';
import type { Log } from '../log.ts';
import type { HookName, Handlers } from './handlers.ts';
import type { Finding } from './finding.ts';
import type { ResourceKind } from './resource.ts';
import type { KernelEvent } from './events.ts';
import type { JsonSchema } from './json.ts';
import type { Env, NetworkSettings, PluginEntry, Settings } from './settings.ts';
import type { Tool } from './call.ts';

/** A plugin: a manifest and one function that wires it. Source: plugins/README.md, Manifest. */
export interface PluginDefinition<C> {
  /** kebab-case, unique; the key below `plugins` in config.yaml. */
  readonly name: string;
  /** Version of this contract. */
  readonly api: 1;
  /** Schema of C. Every key has a description and a default or is required; unknown keys are errors. */
  readonly configSchema: JsonSchema;
  /** Selects the part of the settings that is this plugin's C; default `plugins.<name>.config`. Pure. */
  select?(settings: Settings): unknown;
  /** Whether the plugin runs if config.yaml does not decide; default true. Pure. */
  enabled?(settings: Settings, env: Env): boolean;
  /** True if callers may do more without it: its section with settings, but without its switch, refuses the start. */
  readonly guards?: boolean;
  /** Capabilities that must have a provider; their providers start first. */
  readonly requires?: readonly Capability<unknown>[];
  /** Capabilities that it uses if provided; their providers, if any, start first and stop after it. */
  readonly uses?: readonly Capability<unknown>[];
  /** Capabilities that it looks up while it works: their providers may start later and stop earlier, and may ask for its own. */
  readonly asks?: readonly Capability<unknown>[];
  /** Capabilities it may provide; providing another throws. */
  readonly provides?: readonly Capability<unknown>[];
  /** True if it accepts requests from outside: it starts after all others and the first definitions, and stops before them. */
  readonly edge?: boolean;
  /** Checks what a schema cannot express. Pure; runs before anything is swapped. Paths are below C. */
  check?(config: C, settings: Settings): readonly Finding[];
  /** Checks that need all definitions or the machine. For `pegboard check` only; may read files, starts nothing. */
  review?(facts: ReviewFacts<C>): readonly ReviewFinding[] | Promise<readonly ReviewFinding[]>;
  /** What a restart loses of its data without a state directory, in words: `session keys`. */
  readonly keeps?: string;
  /** Kinds of definitions it owns. */
  readonly kinds?: readonly ResourceKind[];
  /** Wires taps, capabilities and tools. Opens no port, file, process or timer: those begin in onStart. */
  apply(scope: Scope<C>): void | Promise<void>;
}
export type Plugin = PluginDefinition<unknown>;
/** A plugin that should run, with its validated configuration. */
export interface Wanted {
  readonly plugin: Plugin;
  readonly config: unknown;
}
type Absorbed = false | undefined | void;

/** The only object a plugin receives. Everything registered through it is removed when the plugin stops. */
export interface Scope<C> {
  readonly name: string;
  /** The validated configuration; from onReload on, the new one. */
  readonly config: C;
  readonly log: Log;
  /** Aborted when the plugin stops, after its taps have drained. */
  readonly signal: AbortSignal;
  /** Called in apply() only. @param stage one of STAGE; order within a stage is the plugins' start order */
  tap<K extends HookName>(hook: K, handler: Handlers[K], stage?: number): void;
  /** Called in apply() only. @throws GatewayError PLUGIN_CONTRACT if the manifest does not list the capability */
  provide<T>(capability: Capability<T>, value: T): void;
  /** The current value; never keep it in a field. @throws GatewayError PLUGIN_MISSING if no plugin provides it */
  get<T>(capability: Capability<T>): T;
  /** The same, or undefined if no plugin provides it. */
  find<T>(capability: Capability<T>): T | undefined;
  all<T>(capability: Capability<T>): readonly T[];
  /** Calls `add` for every value, now and later; the function that `add` returns runs when the value is removed. Synchronous. */
  each<T>(capability: Capability<T>, add: (value: T) => (() => void) | undefined): void;
  /** Can be called at any time. @returns the function that removes the tool @throws GatewayError TOOL_DUPLICATE */
  addTool(tool: Tool): () => void;
  emit(event: KernelEvent): void;
  /** Side effects begin here. A throw reverts the whole change of configuration. */
  onStart(run: () => void | Promise<void>): void;
  /** Ends work that needs other plugins, while their tools, taps and capabilities still exist: runs before the swap that
   *  removes this plugin; the swap waits for it as long as for taps, for that of an edge a minute. */
  onDrain(run: () => void | Promise<void>): void;
  /** Handlers run in reverse order of registration; each must be safe without onStart. */
  onStop(run: () => void | Promise<void>): void;
  /** Applies a new configuration without a restart. Returning false asks for a restart; a throw is logged and causes one.
   *  A GatewayError PLUGIN_START refuses the whole change: the old configuration stays. */
  onReload(take: (next: C) => Absorbed | Promise<Absorbed>): void;
}

/** Checks the types of a definition, then erases C. */
export function definePlugin<C>(definition: PluginDefinition<C>): Plugin {
  return definition;
}

/** The entry of a plugin in config.yaml; empty if it is true, false or missing. A `select` that adds other settings to
 *  its own configuration reads `.config` of it. */
export function entryOf({ plugins }: Settings, name: string): PluginEntry {
  const entry = plugins[name];
  return typeof entry === 'object' ? entry : {};
}

/** What `aggregator` has for connections to other machines, without the keys that are absent; for a plugin's `select`. */
export function networkSettings(
  aggregator: Readonly<{ [K in keyof NetworkSettings]?: NetworkSettings[K] | undefined }>,
): NetworkSettings {
  const { extraCaFile, proxy, noProxy, proxyResolves } = aggregator;
  const given = Object.entries({ extraCaFile, proxy, noProxy, proxyResolves });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** A plugin's `enabled`: off unless config.yaml has an object for the plugin, whatever that contains. */
export function whenConfigured(name: string): (settings: Settings) => boolean {
  return ({ plugins }) => typeof plugins[name] === 'object';
}
