import type { PluginAction } from './contracts/config.ts';
import type { Wanted } from './contracts/plugin.ts';
import { GatewayError } from './errors.ts';
import { isDeepStrictEqual } from 'node:util';

export interface RunningFacts extends Wanted {
  /** One that has not started was left behind by a failed move: it must be created again. */
  readonly scope: { readonly canReload: boolean; readonly hasStarted: boolean };
}
export interface Plan {
  /** Start order: providers before those that require them, edges last, ties by name. */
  readonly order: readonly Wanted[];
  readonly actions: ReadonlyMap<string, PluginAction>;
}

/** @param provided ids of capabilities that the kernel provides
 *  @param force names that restart even when a reload would do
 *  @throws GatewayError CONFIG_REFERENCE for a missing provider, two providers of a `one`, or a cycle */
export function planMove(
  running: ReadonlyMap<string, RunningFacts>,
  wanted: readonly Wanted[],
  provided: ReadonlySet<string>,
  force: ReadonlySet<string> = new Set(),
): Plan {
  const order = sortByRequirements(wanted, provided);
  const actions = new Map<string, PluginAction>();
  for (const [name] of running) actions.set(name, 'stop');
  for (const next of order) {
    const { name } = next.plugin;
    actions.set(name, force.has(name) ? 'restart' : actionFor(running.get(name), next));
  }
  return { order, actions };
}

function actionFor(current: RunningFacts | undefined, next: Wanted): PluginAction {
  if (current === undefined) return 'start';
  if (current.plugin !== next.plugin || !current.scope.hasStarted) return 'restart';
  if (isDeepStrictEqual(current.config, next.config)) return 'keep';
  return current.scope.canReload ? 'reload' : 'restart';
}

function sortByRequirements(wanted: readonly Wanted[], provided: ReadonlySet<string>): Wanted[] {
  const providers = providersOf(wanted, provided);
  const waiting = [...wanted].sort(edgesLast);
  const done = new Set<string>();
  const order: Wanted[] = [];
  const used = ({ plugin }: Wanted): string[] =>
    (plugin.uses ?? []).flatMap(({ id }) => (provided.has(id) ? [] : (providers.get(id) ?? [])));
  const required = ({ plugin }: Wanted): string[] =>
    (plugin.requires ?? []).flatMap(({ id }) => {
      if (provided.has(id)) return [];
      const names = providers.get(id);
      if (names !== undefined) return names;
      const fix = `enable a plugin that does, or switch ${plugin.name} off`;
      throw new GatewayError(
        'CONFIG_REFERENCE',
        `plugin ${plugin.name} requires ${id}, which no plugin provides; ${fix}`,
        { details: { plugins: [plugin.name], capability: id } },
      );
    });
  const needs = (next: Wanted): string[] => [...required(next), ...used(next)];
  while (waiting.length > 0) {
    const at = waiting.findIndex((next) => needs(next).every((name) => done.has(name)));
    const [next] = at < 0 ? [] : waiting.splice(at, 1);
    if (next === undefined) {
      const plugins = waiting.map(({ plugin }) => plugin.name);
      const text = `plugins require one another in a circle: ${plugins.join(', ')}`;
      throw new GatewayError('CONFIG_REFERENCE', text, { details: { plugins } });
    }
    order.push(next);
    done.add(next.plugin.name);
  }
  return order;
}

function edgesLast({ plugin: a }: Wanted, { plugin: b }: Wanted): number {
  return Number(a.edge ?? false) - Number(b.edge ?? false) || (a.name < b.name ? -1 : 1);
}

function providersOf(wanted: readonly Wanted[], provided: ReadonlySet<string>): Map<string, string[]> {
  const namesById = new Map<string, string[]>();
  for (const { plugin } of wanted) {
    for (const { id, cardinality } of plugin.provides ?? []) {
      const others = namesById.get(id) ?? (provided.has(id) ? ['kernel'] : []);
      const names = [...others, plugin.name].sort();
      if (cardinality === 'one' && names.length > 1) {
        const text = `plugins ${names.join(' and ')} both provide ${id}; switch one of them off in config.yaml`;
        throw new GatewayError('CONFIG_REFERENCE', text, { details: { plugins: names } });
      }
      namesById.set(id, names);
    }
  }
  return namesById;
}
