import { builtInNames, loadBuiltIn } from '../../kernel/loader.ts';
import { startGraph } from '../../plugins/cli/graph/startGraph.ts';
import type { StartNode } from '../../plugins/cli/graph/startGraph.ts';

/** The picture in plugins/REFERENCE.md: who waits for whom, by the manifests of all built-in plugins. */
export async function markdown(): Promise<string> {
  const nodes = startGraph(await Promise.all((await builtInNames()).map(loadBuiltIn)));
  const boxes = boxesOf(nodes);
  const boxOf = (name: string): string => boxes.find((names) => names.includes(name))?.[0] ?? name;
  const arrows = nodes.flatMap(({ plugin, waits }) =>
    waits.map((other) => `  ${boxOf(plugin.name)} --> ${boxOf(other)}`),
  );
  const lines = boxes
    .filter(({ length }) => length > 1)
    .map((names) => `  ${names[0] ?? ''}["${names.join('<br>')}"]`);
  return ['```mermaid', 'flowchart RL', ...lines.sort(), ...[...new Set(arrows)].sort(), '```'].join('\n');
}

/** Names of plugins, together if they wait for the same plugins and the same wait for them. */
function boxesOf(nodes: readonly StartNode[]): readonly (readonly string[])[] {
  const namesByNeighbours = new Map<string, string[]>();
  for (const { plugin, waits } of nodes) {
    const waiting = nodes.filter((other) => other.waits.includes(plugin.name)).map((one) => one.plugin.name);
    const key = JSON.stringify([waits, waiting.sort()]);
    namesByNeighbours.set(key, [...(namesByNeighbours.get(key) ?? []), plugin.name].sort());
  }
  return [...namesByNeighbours.values()];
}
