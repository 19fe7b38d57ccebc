import { GatewayError, isObject } from 'pegboard';
import type { JsonObject, Target, Tool } from 'pegboard';
import type { FamilySpec } from '../definition.ts';
import { exposedName } from './names.ts';
import type { ServerOffer } from './serverOffer.ts';
import type { ToolEntry } from './toolEntry.ts';

/** One server of a family with the tools it lists. */
interface Member {
  readonly family: FamilySpec;
  readonly entries: Iterable<ToolEntry>;
}

/** A tool of a family; `of` has the entries it represents, sorted by server. */
interface Merged extends ToolEntry {
  readonly arg: string;
  readonly of: readonly ToolEntry[];
}
type Tools = ReadonlyMap<string, ReadonlyMap<string, ToolEntry>>;

/** The tools of a family, first those that are merged, as of `family <name>`, then those that its servers offer alone.
 *  @param before a merged tool of it stays as it is while it represents the same */
export function mergedTools(
  name: string,
  offers: ReadonlyMap<string, Pick<ServerOffer, 'naming' | 'tools'>>,
  before: Tools | undefined,
): Tools {
  const members = [...offers.values()].flatMap(({ tools: { rules, entries } }) =>
    rules.family?.name === name ? [{ family: rules.family, entries: [...entries.values()] }] : [],
  );
  const server = `family ${name}`;
  const [{ naming } = { naming: undefined }] = offers.values();
  const merged = new Map<string, Merged>();
  for (const [own, of] of groupFamily(members)) {
    const [{ family } = { family: undefined }] = members;
    if (naming === undefined || family === undefined) continue;
    const exposed = exposedName(own, { ...naming, prefix: name });
    const arg = family.instanceArg;
    const held = before?.get(server)?.get(exposed) as Merged | undefined;
    const isSame =
      held?.arg === arg && held.of.length === of.length && of.every((one, at) => one === held.of[at]);
    const entry = { server, isOwn: false, own, text: of[0]?.text ?? '', excluded: undefined, arg, of };
    merged.set(exposed, isSame ? held : { ...entry, tool: familyTool(exposed, family, of) });
  }
  const together = new Set([...merged.values()].flatMap(({ of }) => of));
  const alone = [...offers].map(([one, { tools }]) => {
    const entries = [...tools.entries].filter(([, entry]) => !together.has(entry));
    return [one, together.size === 0 ? tools.entries : new Map(entries)] as const;
  });
  return new Map<string, ReadonlyMap<string, ToolEntry>>([[server, merged], ...alone]);
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
