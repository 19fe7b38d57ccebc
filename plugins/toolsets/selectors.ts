import type { Item } from 'pegboard';
import { invalidToolset, selectorFault, selectorParts } from '../kit/calls/selectors.ts';
import { perList } from '../kit/calls/perList.ts';
import type { ToolsetView } from '../contracts/toolsets.ts';
import { matchServer, matchTool, matchWorkflow } from './match.ts';
import type { Match } from './match.ts';
import type { Presets } from './presets.ts';

/** Combines the selectors: an item that any of them matches is included. @throws GatewayError TOOL_TOOLSET_INVALID */
export function resolveSelectors(selectors: readonly string[], presets: Presets): ToolsetView {
  const parts = selectors.map((selector) => ({ selector, matches: onMembers(compile(selector, presets)) }));
  const includes = (item: Item): boolean => parts.some(({ matches }) => matches(item));
  return {
    includes,
    unmatched: perList((tools) =>
      parts.filter(({ matches }) => !tools.some(matches)).map(({ selector }) => selector),
    ),
  };
}

/** A tool with members matches if any of them does. */
function onMembers(match: Match): Match {
  return (item) => item.members?.some(match) ?? match(item);
}

/** Splits `a, b`, the value of the header. */
export function splitHeader(value: string): readonly string[] {
  return value.trim() === '' ? [] : value.split(',').map((selector) => selector.trim());
}

function compile(selector: string, presets: Presets): Match {
  const fault = selectorFault(selector, presets.names);
  if (fault !== undefined) throw invalidToolset(fault);
  const [kind, name] = selectorParts(selector);
  if (kind === 'tool') return matchTool(name);
  if (kind === 'server') return matchServer(name);
  if (kind === 'workflow') return matchWorkflow(name);
  return presets.find(name) ?? (() => false);
}
