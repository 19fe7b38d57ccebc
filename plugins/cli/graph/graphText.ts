import type { Invocation } from 'pegboard';
import { tableLines } from '../output/tableLines.ts';
import type { PluginFacts } from './pluginFacts.ts';

/** A table of the plugins that are on, floor by floor, and one of the others with the reasons.
 *  @param isWide whether each line has the plugin's capabilities too */
export function graphText(
  facts: readonly PluginFacts[],
  terminal: Invocation['terminal'],
  isWide: boolean,
): string {
  const columns = terminal.isTerminal ? terminal.columns : undefined;
  const lists = isWide ? (['provides', 'requires', 'uses', 'asks'] as const) : [];
  const tableOf = (
    titles: readonly string[],
    shown: readonly PluginFacts[],
    cellsOf: (one: PluginFacts, at: number) => readonly string[],
  ): readonly string[] => {
    const rows = shown.map((one, at) => [...cellsOf(one, at), ...lists.map((list) => one[list].join(', '))]);
    return rows.length === 0 ? [] : [tableLines([...titles, ...lists], rows, { hasHeaders: true, columns })];
  };
  const of = (state: PluginFacts['state']): readonly PluginFacts[] =>
    facts.filter((one) => one.state === state);
  const on = of('on');
  const floors = on.map((one) => (one.edge ? 'edge' : String(one.floor)));
  const withReasons = (state: PluginFacts['state']): readonly string[] =>
    tableOf([state, 'why'], of(state), (one) => [nameOf(one), one.why ?? '']);
  return [
    ...tableOf(['floor', 'plugin', 'waits for'], on, (one, at) => [
      floors[at] === floors[at - 1] ? '' : (floors[at] ?? ''),
      nameOf(one),
      one.waits.join(', '),
    ]),
    ...withReasons('blocked'),
    ...withReasons('off'),
  ].join('\n');
}

function nameOf({ name, module }: PluginFacts): string {
  return module === undefined ? name : `${name} (${module})`;
}
