import { CallPath, ConfigControl, RequestGate, Shutdown, StateDirectory, ToolTable } from 'pegboard';
import type { Plugin } from 'pegboard';

/** Ids of the capabilities that every plugin finds, whichever others run. */
export const BY_KERNEL: readonly string[] = [
  CallPath,
  ConfigControl,
  RequestGate,
  Shutdown,
  StateDirectory,
  ToolTable,
].map(({ id }) => id);

export interface StartNode {
  readonly plugin: Plugin;
  /** 1 for a plugin that waits for no other; undefined if it waits for itself by others. */
  readonly floor: number | undefined;
  /** Names of those whose start it waits for, without those for which another one of them waits. */
  readonly waits: readonly string[];
}
type Needs = ReadonlyMap<string, ReadonlySet<string>>;

/** The order in which plugins start, by what they require and use: sorted by floors, edges last, ties by name. */
export function startGraph(plugins: readonly Plugin[]): readonly StartNode[] {
  const providers = providersOf(plugins);
  const needs = new Map(plugins.map((plugin) => [plugin.name, needsOf(plugin, providers)]));
  const floors = floorsOf(needs);
  const nodes = plugins.map((plugin) => ({
    plugin,
    floor: floors.get(plugin.name),
    waits: waitsOf(plugin.name, needs, floors),
  }));
  return nodes.sort(byStart);
}

/** Names of the plugins that provide a capability, by its id. */
export function providersOf(plugins: readonly Plugin[]): ReadonlyMap<string, readonly string[]> {
  const namesById = new Map<string, string[]>();
  for (const { name, provides = [] } of plugins)
    for (const { id } of provides) namesById.set(id, [...(namesById.get(id) ?? []), name]);
  return namesById;
}

function needsOf(
  { requires = [], uses = [] }: Plugin,
  providers: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const ids = [...requires, ...uses].map(({ id }) => id).filter((id) => !BY_KERNEL.includes(id));
  return new Set(ids.flatMap((id) => providers.get(id) ?? []));
}

function floorsOf(needs: Needs): ReadonlyMap<string, number> {
  const floors = new Map<string, number>();
  const isNext = ([name, of]: readonly [string, ReadonlySet<string>]): boolean =>
    !floors.has(name) && [...of].every((one) => floors.has(one));
  for (let floor = 1, next; (next = [...needs].filter(isNext)).length > 0; floor += 1)
    for (const [name] of next) floors.set(name, floor);
  return floors;
}

function waitsOf(name: string, needs: Needs, floors: ReadonlyMap<string, number>): readonly string[] {
  const direct = [...(needs.get(name) ?? [])].sort();
  if (!floors.has(name)) return direct;
  const implied = new Set(direct.flatMap((one) => [...allBelow(one, needs)]));
  return direct.filter((one) => !implied.has(one));
}

/** What a plugin on a floor waits for, also by others. */
function allBelow(name: string, needs: Needs): ReadonlySet<string> {
  const direct = [...(needs.get(name) ?? [])];
  return new Set([...direct, ...direct.flatMap((one) => [...allBelow(one, needs)])]);
}

function byStart({ plugin: a, floor: of = 0 }: StartNode, { plugin: b, floor = 0 }: StartNode): number {
  return Number(a.edge ?? false) - Number(b.edge ?? false) || of - floor || (a.name < b.name ? -1 : 1);
}
