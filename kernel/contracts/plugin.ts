import type { Capability } from '../capabilities.ts';
import type { ReviewFacts, ReviewFinding } from './review.ts';
import type { Log } from '../log.ts';
import type { HookName, Handlers } from './handlers.ts';
import type { Finding } from './finding.ts';
import type { ResourceKind } from './resource.ts';
import type { KernelEvent } from './events.ts';
import type { JsonSchema } from './json.ts';
import type { Env, PluginEntry, Settings } from './settings.ts';
import type { Tool } from './tool.ts';

/** What a plugin is: a value with a manifest and one function that wires it. Source: plugins/README.md, Manifest. */
export interface PluginDefinition<C> {
  /** kebab-case, unique; the key below `plugins` in config.yaml. */
  readonly name: string;
  /** Version of this contract. */
  readonly api: 1;
  /** Of C. Every key has a description and a default or is required; unknown keys are errors. */
  readonly configSchema: JsonSchema;
  /** Which part of the settings is this plugin's C; default `plugins.<name>.config`. Pure. */
  select?(settings: Settings): unknown;
  /** Whether it runs when config.yaml does not say; default true. Pure. */
  enabled?(settings: Settings, env: Env): boolean;
  /** Capabilities that must have a provider; their providers start first. */
  readonly requires?: readonly Capability<unknown>[];
  /** Capabilities that it uses when there; their providers, if any, start first and stop after it. */
  readonly uses?: readonly Capability<unknown>[];
  /** Capabilities it may provide; providing another throws. */
  readonly provides?: readonly Capability<unknown>[];
  /** True for what takes requests from outside: it starts after all others and the first definitions, and stops before them. */
  readonly edge?: boolean;
  /** What the schema cannot say. Pure; runs before anything is swapped. Paths are below C. */
  check?(config: C, settings: Settings): readonly Finding[];
  /** What needs all definitions or a look at the machine. For `pegboard check` only; may read files, starts nothing. */
  review?(facts: ReviewFacts<C>): readonly ReviewFinding[] | Promise<readonly ReviewFinding[]>;
  /** What of it a restart loses when there is no state directory, in words: `session keys`. */
  readonly keeps?: string;
  /** Kinds of definitions it owns. */
  readonly kinds?: readonly ResourceKind[];
  /** Wires taps, capabilities and tools. No port, file, process or timer in here: they begin in onStart. */
  apply(scope: Scope<C>): void | Promise<void>;
}
export type Plugin = PluginDefinition<unknown>;
type Absorbed = false | undefined | void;

/** The only object a plugin receives. Whatever goes in through it goes out when it stops. */
export interface Scope<C> {
  readonly name: string;
  /** The validated configuration; from onReload on, the new one. */
  readonly config: C;
  readonly log: Log;
  /** Aborted when the plugin stops, after its taps have drained. */
  readonly signal: AbortSignal;
  /** In apply() only. @param stage one of STAGE; order within a stage is the plugins' start order */
  tap<K extends HookName>(hook: K, handler: Handlers[K], stage?: number): void;
  /** In apply() only. @throws GatewayError PLUGIN_CONTRACT when the manifest does not list it */
  provide<T>(capability: Capability<T>, value: T): void;
  /** The value now; never keep it in a field. @throws GatewayError PLUGIN_MISSING when nobody provides it */
  get<T>(capability: Capability<T>): T;
  all<T>(capability: Capability<T>): readonly T[];
  /** Calls `add` for every value now and later; its returned function runs when the value leaves. Synchronous. */
  each<T>(capability: Capability<T>, add: (value: T) => (() => void) | undefined): void;
  /** At any time. @returns the function that takes it out @throws GatewayError TOOL_DUPLICATE */
  addTool(tool: Tool): () => void;
  emit(event: KernelEvent): void;
  /** Side effects begin here. A throw takes the whole change of configuration back. */
  onStart(run: () => void | Promise<void>): void;
  /** End what needs other plugins, while their tools, taps and capabilities are all there: runs before the swap that takes this
   *  plugin out, and is waited for as long as taps are. */
  onDrain(run: () => void | Promise<void>): void;
  /** Last in, first out; must be safe without onStart. */
  onStop(run: () => void | Promise<void>): void;
  /** Absorbs a new configuration without a restart; returning false asks for a restart, a throw is logged and falls back to one.
   *  A GatewayError PLUGIN_START refuses the whole change: the old one goes on. */
  onReload(take: (next: C) => Absorbed | Promise<Absorbed>): void;
}

/** Checks types where a plugin is written, and forgets C. */
export function definePlugin<C>(definition: PluginDefinition<C>): Plugin {
  return definition;
}

/** What config.yaml says of a plugin; empty when that is true, false or nothing. A `select` that adds other settings to
 *  its own takes `.config` of it. */
export function entryOf({ plugins }: Settings, name: string): PluginEntry {
  const entry = plugins[name];
  return typeof entry === 'object' ? entry : {};
}

/** For `enabled`: off until config.yaml has an entry for it, whatever stands in that. */
export function whenConfigured(name: string): (settings: Settings) => boolean {
  return ({ plugins }) => typeof plugins[name] === 'object';
}
