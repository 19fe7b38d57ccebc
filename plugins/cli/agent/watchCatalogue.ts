import type { Invocation, JsonObject } from 'pegboard';
import { lastingTransport } from '../bridge/lastingTransport.ts';
import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import { kindOf } from '../kinds.ts';
import { pauseFor } from '../pauseFor.ts';
import { printList } from '../output/print.ts';

export interface ToolChange {
  readonly change: 'present' | 'added' | 'removed' | 'changed';
  readonly tool: JsonObject;
}

/** tools/list_changed is about the meta-tools, and tools come and go behind them: so the catalogue is read again and again. */
const LOOK_MS = 2_000;
const SIGNS = { present: ' ', added: '+', removed: '-', changed: '~' };

/** Prints the catalogue, then each change of it until Ctrl-C, over restarts of the gateway. With `-o json` one object a line:
 *  `{change: present | added | removed | changed, tool: {name, server, summary}}`. @throws Failure */
export async function watchCatalogue(invocation: Invocation): Promise<number> {
  // A person is told at once that there is no gateway; only one that goes away later is waited for.
  await Gateway.connected(invocation, () => Promise.resolve());
  return Gateway.apart(invocation, (gateway) => watch(invocation, gateway), lastingTransport);
}

async function watch(invocation: Invocation, gateway: Gateway): Promise<number> {
  const { cancel, terminal } = invocation;
  const { output, quiet } = optionsOf(invocation);
  const tools = kindOf('tools');
  const isLines = output === 'json' || output === 'yaml';
  let former = await tools.list(gateway);
  if (isLines) for (const tool of former) terminal.out(jsonLine({ change: 'present', tool }));
  else printList(invocation, tools.plural, former, tools.columns);
  if (quiet !== true) terminal.err(`${former.length} tools; changes follow until Ctrl-C\n`);
  for (;;) {
    await pauseFor(LOOK_MS, cancel);
    if (cancel.reason !== undefined) return 0;
    const next = await tools.list(gateway);
    for (const change of changesBetween(former, next))
      terminal.out(isLines ? jsonLine(change) : wordLine(change));
    former = next;
  }
}

/** What became of the tools of `before`, and what is new in `after`. */
export function changesBetween(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): readonly ToolChange[] {
  const old = new Map(before.map((tool) => [tool['name'], tool]));
  const now = new Set(after.map((tool) => tool['name']));
  const removed = before.filter((tool) => !now.has(tool['name']));
  const others = after.flatMap((tool): ToolChange[] => {
    const known = old.get(tool['name']);
    if (known === undefined) return [{ change: 'added', tool }];
    return JSON.stringify(known) === JSON.stringify(tool) ? [] : [{ change: 'changed', tool }];
  });
  return [...removed.map((tool): ToolChange => ({ change: 'removed', tool })), ...others];
}

function jsonLine({ change, tool }: ToolChange): string {
  const { name, server, summary } = tool;
  return `${JSON.stringify({ change, tool: { name, server, summary } })}\n`;
}

function wordLine({ change, tool: { name, server, summary } }: ToolChange): string {
  const words = [name, server, summary].filter((word) => typeof word === 'string');
  return `${SIGNS[change]} ${words.join('   ').replaceAll('\n', ' ')}\n`;
}
