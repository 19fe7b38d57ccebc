import { GatewayError, isObject } from 'pegboard';
import type { JsonObject, Target, Tool } from 'pegboard';
import type { FamilySpec } from '../definition.ts';
import type { ToolEntry } from './toolEntry.ts';

/** One server of a family with the tools it lists. */
export interface Member {
  readonly family: FamilySpec;
  readonly entries: Iterable<ToolEntry>;
}

/** The tools of a family that are merged: own name → the entries that provide it, sorted by server. A tool is not merged
 *  if its servers declare it differently, if it already has an argument named `instanceArg`, or if the servers disagree
 *  on `instanceArg`. Source: requirement decide.family. */
export function groupFamily(members: readonly Member[]): ReadonlyMap<string, readonly ToolEntry[]> {
  const [first] = members;
  const arg = first?.family.instanceArg;
  if (arg === undefined || members.some(({ family }) => family.instanceArg !== arg)) return new Map();
  const byOwn = new Map<string, ToolEntry[]>();
  for (const { entries } of members) {
    for (const entry of entries) {
      if (entry.excluded !== undefined) continue;
      const held = byOwn.get(entry.own);
      if (held === undefined) byOwn.set(entry.own, [entry]);
      else held.push(entry);
    }
  }
  for (const [own, entries] of byOwn) {
    const isOne = new Set(entries.map(({ tool }) => meaningOf(tool))).size === 1;
    const [entry] = entries;
    if (!isOne || (entry !== undefined && arg in propertiesOf(entry.tool))) byOwn.delete(own);
    else entries.sort((a, b) => (a.server < b.server ? -1 : 1));
  }
  return byOwn;
}

/** One tool that represents the same tool of several servers; an additional argument selects the server. */
export function familyTool(
  name: string,
  { name: family, instanceArg }: FamilySpec,
  entries: readonly ToolEntry[],
): Tool {
  const servers = entries.map(({ server }) => server);
  const list = servers.join(', ');
  const [first] = entries.map(({ tool }) => tool);
  if (first === undefined)
    throw new GatewayError('TOOL_NOT_FOUND', `no server of family ${family} has ${name}`);
  const resolve = ({ [instanceArg]: chosen, ...args }: JsonObject): Target => {
    if (chosen === undefined || chosen === null) {
      const text = `tool ${name} is provided by a family on servers ${list}; the "${instanceArg}" parameter is required`;
      throw new GatewayError('TOOL_ARGUMENTS', text);
    }
    const tool = members.find(({ server }) => server === chosen);
    if (tool !== undefined) return { tool, args };
    const shown = typeof chosen === 'string' ? chosen.slice(0, 128) : typeof chosen;
    const text = `tool ${name} is not available on server "${shown}" (available: ${list})`;
    throw new GatewayError('TOOL_ARGUMENTS', text);
  };
  const one: Tool = {
    ...first,
    name,
    server: family,
    description: `${first.description} (available on servers: ${list})`.trimStart(),
    inputSchema: withInstance(first, instanceArg, servers),
    isStale: () => members.every((tool) => tool.isStale?.() === true),
    resolve,
    invoke: (args, call) => {
      const { tool, args: own } = resolve(args);
      return tool.invoke(own, call);
    },
  };
  const members = entries.map(({ tool }): Tool => ({ ...tool, group: one }));
  return Object.assign(one, { members });
}

function withInstance(tool: Tool, arg: string, servers: readonly string[]): JsonObject {
  const { required } = tool.inputSchema;
  const instance = {
    type: 'string',
    enum: servers,
    description: `Target instance to execute this tool on. Available: ${servers.join(', ')}`,
  };
  return {
    ...tool.inputSchema,
    properties: { ...propertiesOf(tool), [arg]: instance },
    required: [...(Array.isArray(required) ? (required as unknown[]) : []), arg],
  };
}

function propertiesOf({ inputSchema }: Tool): JsonObject {
  const { properties } = inputSchema;
  return isObject(properties) ? properties : {};
}

/** The parts of a declaration that callers see: tools are merged if these are equal. */
function meaningOf({ description, inputSchema, annotations }: Tool): string {
  return JSON.stringify([description, inputSchema, annotations ?? null]);
}
