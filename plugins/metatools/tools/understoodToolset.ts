import { ToolTable } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { Toolsets } from '../../contracts/toolsets.ts';
import { perList, toolsByServer } from '../../kit/calls/perList.ts';
import type { Understood } from './understoodArguments.ts';

/** The argument `toolset` with selectors for names that stand alone, where one thing only has that name: `files` is `server:files`. */
export function understoodToolset(
  scope: Scope<unknown>,
  args: JsonObject,
  request: InboundRequest,
): Understood {
  const { toolset } = args;
  const isNamed = Array.isArray(toolset) && toolset.every((one) => typeof one === 'string');
  if (!isNamed || toolset.every((one) => one.includes(':'))) return { args, said: [] };
  const selectorsOf = selectorFinder(scope, request);
  const meant = toolset.map((one) => {
    const [only = one, ...others] = one.includes(':') ? [] : selectorsOf(one);
    return others.length === 0 ? only : one;
  });
  const said = meant.filter((one, at) => one !== toolset[at]);
  return { args: { ...args, toolset: meant }, said: said.map((one) => `toolset as ${JSON.stringify(one)}`) };
}

/** Finds all selectors that a name may mean, among what the request may see. */
function selectorFinder(scope: Scope<unknown>, request: InboundRequest): (name: string) => readonly string[] {
  const tools = scope.get(ToolTable).visibleTo(request);
  const servers = toolsByServer(tools);
  const names = namesIn(tools);
  const presets = scope.all(Toolsets).flatMap((toolsets) => toolsets.presets().map(({ name }) => name));
  return (name) => [
    ...(servers.has(name) ? [`server:${name}`] : []),
    ...(presets.includes(name) ? [`preset:${name}`] : []),
    ...(names.has(`workflow_${name}`) ? [`workflow:${name}`] : []),
    ...(names.has(name) ? [`tool:${name}`] : []),
  ];
}

const namesIn = perList((tools) => new Set(tools.map(({ name }) => name)));
