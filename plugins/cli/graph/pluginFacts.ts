import type { Capability, Invocation, Plugin } from 'pegboard';
import { entryOf } from 'pegboard';
import { BY_KERNEL, providersOf, startGraph } from './startGraph.ts';
import type { StartNode } from './startGraph.ts';
import { whyOff } from './whyOff.ts';

/** A plugin in the output of `pegboard plugins`. */
export interface PluginFacts {
  readonly name: string;
  /** The module of a third party's plugin, as config.yaml names it. */
  readonly module?: string;
  /** `blocked`: it is on, but the gateway cannot start with it. */
  readonly state: 'on' | 'off' | 'blocked';
  /** Why it is off or blocked. */
  readonly why?: string;
  /** Keys of config.yaml and `$NAMES` of environment variables by which it is off. */
  readonly keys?: readonly string[];
  /** 1 for a plugin that waits for no other; absent if it is not on. */
  readonly floor?: number;
  /** Whether it starts after all others, because it accepts requests. */
  readonly edge: boolean;
  readonly waits: readonly string[];
  /** Ids of capabilities, as the next three. */
  readonly provides: readonly string[];
  readonly requires: readonly string[];
  readonly uses: readonly string[];
  readonly asks: readonly string[];
}

/** Plugins that are on in start order, then those that are blocked, then those that are off. */
export function pluginFacts(
  { settings, on, off }: Awaited<ReturnType<Invocation['plugins']>>,
  env: Invocation['env'],
): readonly PluginFacts[] {
  if (settings === undefined) return [];
  const without = off.map((plugin) => ({ plugin, ...whyOff(plugin, settings, env) }));
  const nodes = startGraph(on).map((node): PluginFacts => {
    const why = whyBlocked(node, on, without);
    const { plugin, floor, waits } = node;
    const { module } = entryOf(settings, plugin.name);
    const place = why === undefined && floor !== undefined ? { floor } : {};
    const given = {
      ...(module !== undefined && { module }),
      ...(why !== undefined && { why }),
      ...place,
      waits,
    };
    return factsOf(plugin, { state: why === undefined ? 'on' : 'blocked', ...given });
  });
  return [
    ...nodes.filter(({ state }) => state === 'on'),
    ...nodes.filter(({ state }) => state === 'blocked'),
    ...without
      .sort(({ plugin: a }, { plugin: b }) => (a.name < b.name ? -1 : 1))
      .map(({ plugin, why, keys }) => factsOf(plugin, { state: 'off', why, keys, waits: [] })),
  ];
}

type Found = Pick<PluginFacts, 'module' | 'state' | 'why' | 'keys' | 'floor' | 'waits'>;

function factsOf(plugin: Plugin, found: Found): PluginFacts {
  const idsOf = (list: readonly Capability<unknown>[] = []): readonly string[] => list.map(({ id }) => id);
  return {
    name: plugin.name,
    ...found,
    edge: plugin.edge === true,
    provides: idsOf(plugin.provides),
    requires: idsOf(plugin.requires),
    uses: idsOf(plugin.uses),
    asks: idsOf(plugin.asks),
  };
}

type Off = readonly { readonly plugin: Plugin; readonly why: string }[];

/** Why the gateway cannot start with this plugin: the same reasons as those of the kernel. */
function whyBlocked({ plugin, floor }: StartNode, on: readonly Plugin[], off: Off): string | undefined {
  const providers = providersOf(on);
  const missing = (plugin.requires ?? []).find(({ id }) => !BY_KERNEL.includes(id) && !providers.has(id));
  if (missing !== undefined) return `requires ${missing.id}, ${whoCould(missing.id, off)}`;
  for (const { id, cardinality } of plugin.provides ?? []) {
    const all = [...(BY_KERNEL.includes(id) ? ['the kernel'] : []), ...(providers.get(id) ?? [])];
    const others = all.filter((name) => name !== plugin.name);
    if (cardinality === 'one' && others.length > 0)
      return `provides ${id}, and so does ${others.join(' and ')}; switch one of them off`;
  }
  return floor === undefined ? 'waits for plugins that wait for it in a circle' : undefined;
}

function whoCould(id: string, off: Off): string {
  const could = off.filter(({ plugin }) => plugin.provides?.some((one) => one.id === id) === true);
  if (could.length === 0) return 'which no plugin provides';
  return `but its providers are off: ${could.map(({ plugin, why }) => `${plugin.name} (${why})`).join(', ')}`;
}
