import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { GatewayError, isObject, plainText } from 'pegboard';
import type { JsonObject, Tool } from 'pegboard';
import { compileGlob } from '../../kit/text/glob.ts';
import { exactText } from '../../kit/calls/exactNumbers.ts';
import { helpedBy } from '../../kit/faults/remedy.ts';
import { isTaskOnly } from '../../kit/calls/isTaskOnly.ts';
import { mirroredArguments } from './mirroredArguments.ts';
import type { MirroredArguments } from './mirroredArguments.ts';
import { levelsExceeded } from '../client/conversation/readList.ts';
import { rpcText } from '../client/rpc/rpcText.ts';
import { callFor } from './callFor.ts';
import type { OfferingServer } from './offeringServer.ts';
import type { ServerDefinition } from '../definition.ts';
import { MAX_OWN_NAME_CHARS, exposedName, isSameNaming, nameFault, shownName } from './names.ts';
import type { Claim, Naming } from './names.ts';
import { shapedEntry } from './shapedEntry.ts';
import type { ShapedEntry } from './shapedEntry.ts';

/** One tool of one server under its own exposed name. */
export interface ToolEntry extends Claim {
  readonly tool: Tool;
  /** Its name on the server. */
  readonly own: string;
  /** The declaration as text: the entry is kept while the text stays equal. */
  readonly text: string;
  /** Why the definition excludes the tool. */
  readonly excluded: string | undefined;
}

const LEFT_OUT: ShapedEntry = { entry: undefined, odd: '' };

type Rules = Pick<ServerDefinition, 'family' | 'includeTools' | 'excludeTools'>;

/** The tools that a server lists, as entries. */
export interface ServerTools {
  readonly source: readonly unknown[];
  readonly parts: Naming;
  readonly rules: Rules;
  readonly entries: ReadonlyMap<string, ToolEntry>;
  /** Malformed tools, each with its fault. */
  readonly leftOut: readonly string[];
  /** What is wrong with those that have a name, by the one under which they would be offered. */
  readonly faults: ReadonlyMap<string, string>;
  /** Tools of which members are dropped, each with their faults. */
  readonly mended: readonly string[];
  readonly doubled: readonly string[];
}
export const NONE: ServerTools = {
  source: [],
  parts: { servicePrefix: '', prefix: '', maxChars: 0, maxUriChars: 0 },
  rules: { family: undefined, includeTools: undefined, excludeTools: [] },
  entries: new Map(),
  leftOut: [],
  faults: new Map(),
  mended: [],
  doubled: [],
};

/** @returns `before` itself if nothing has changed; equal tools keep their entries */
export function readServerTools(
  connection: OfferingServer,
  parts: Naming,
  before: ServerTools,
  aheadOf?: Ahead,
): ServerTools {
  const source = connection.listing.tools;
  const rules = rulesOf(connection);
  const isAsIn = (read: ServerTools): boolean =>
    source === read.source && isSameNaming(parts, read.parts) && isDeepStrictEqual(rules, read.rules);
  if (isAsIn(before)) return before;
  const ahead = aheadOf?.get(source);
  aheadOf?.delete(source);
  if (ahead?.connection === connection && ahead.before === before && isAsIn(ahead.tools)) return ahead.tools;
  const reading = readTools({ connection, source, parts, before });
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}

/** Reads tools that the server is about to list, in several turns of the event loop: a large server would block it. */
export async function readAhead(given: Reading): Promise<ServerTools> {
  const reading = readTools(given);
  for (;;) {
    const { done, value } = reading.next();
    await turn();
    if (done === true) return value;
  }
}

/** What was read ahead, by the list. */
export type Ahead = WeakMap<
  readonly unknown[],
  { readonly connection: OfferingServer; readonly before: ServerTools; readonly tools: ServerTools }
>;
/** How much is read in one turn: characters of declarations, and what each takes besides. */
const SLICE = 400_000;
const EACH = 1_000;

interface Reading {
  readonly connection: OfferingServer;
  readonly source: readonly unknown[];
  readonly parts: Naming;
  readonly before: ServerTools;
}

function rulesOf({ definition: { family, includeTools, excludeTools } }: OfferingServer): Rules {
  return { family, includeTools, excludeTools };
}

/** Yields after each slice. */
function* readTools({ connection, source, parts, before }: Reading): Generator<undefined, ServerTools> {
  const rules = rulesOf(connection);
  const isOwn = parts.prefix === connection.name;
  const reasonFor = exclusions(rules, connection.name);
  const entries = new Map<string, ToolEntry>();
  const leftOut: string[] = [];
  const faults = new Map<string, string>();
  const leaveOut = (own: string | undefined, at: number, fault: string): void => {
    leftOut.push(`${plainText(shownName(own ?? `number ${at + 1}`))}: ${fault}`);
    if (own !== undefined) faults.set(exposedName(own, parts), fault);
  };
  const mended: string[] = [];
  const doubled: string[] = [];
  let kept = 0;
  let read = 0;
  for (const [at, given] of source.entries()) {
    if ((read += EACH) > SLICE) {
      read = 0;
      yield;
    }
    const fault = faultOf(given);
    const { entry: declared, odd } = fault === undefined ? shapedEntry('tools', given) : LEFT_OUT;
    if (declared === undefined) {
      leaveOut(nameOf(given), at, fault ?? odd);
      continue;
    }
    const own = declared['name'] as string;
    if (odd !== '') mended.push(`${plainText(shownName(own))}: ${odd}`);
    const name = exposedName(own, parts);
    const text = JSON.stringify(declared);
    read += text.length;
    const other = entries.get(name);
    if (other !== undefined) {
      // A tool that is listed once more has the name already; pages overlap when a list changes while it is read.
      if (other.text !== text) doubled.push(name);
      continue;
    }
    const excluded = reasonFor(own);
    const mirrored = mirroredArguments(declared['inputSchema'], text);
    if (mirrored.fault !== undefined && needsHeaders(connection)) {
      leaveOut(own, at, mirrored.fault);
      continue;
    }
    const former = before.entries.get(name);
    if (former?.text === text && former.excluded === excluded) {
      // The same text as before: equal ones are compared letter by letter at each look-up.
      entries.set(former.tool.name, former);
      kept += 1;
    } else {
      const tool = makeTool(name, declared, { connection, excluded, mirrored });
      entries.set(name, { server: connection.name, isOwn, tool, own, text, excluded });
    }
  }
  const isSame = kept === entries.size && kept === before.entries.size;
  const held = isSame ? before.entries : entries;
  return { source, parts, rules, entries: held, leftOut, faults, mended, doubled };
}

/** @returns why a tool of that name is left out, or undefined */
function exclusions(
  { includeTools, excludeTools }: Rules,
  server: string,
): (own: string) => string | undefined {
  const included = includeTools?.map((pattern) => compileGlob(pattern));
  const excluded = excludeTools.map((pattern) => [pattern, compileGlob(pattern)] as const);
  return (own) => {
    const [pattern] = excluded.find(([, matches]) => matches(own)) ?? [];
    if (pattern !== undefined)
      return `tool ${own} is left out by ${pattern} in excludeTools of server ${server}`;
    if (included === undefined || included.some((matches) => matches(own))) return undefined;
    return `tool ${own} is not in includeTools of server ${server}`;
  };
}

/** Other servers do not read the headers, so their declarations do no harm. */
function needsHeaders({ definition, facts }: OfferingServer): boolean {
  return definition.type !== 'stdio' && facts?.era === 'modern';
}

interface ToolOf {
  readonly connection: OfferingServer;
  readonly mirrored: MirroredArguments;
  readonly excluded: string | undefined;
}

function makeTool(name: string, declared: JsonObject, { connection, excluded, mirrored }: ToolOf): Tool {
  const { name: ownName, description, inputSchema, annotations } = declared;
  const tool = String(ownName);
  const what = `tool ${tool}`;
  const head = `"name":${JSON.stringify(ownName)},"arguments":`;
  return {
    name,
    kind: 'tool',
    description: typeof description === 'string' ? description : '',
    inputSchema: inputSchema as JsonObject,
    ...(isObject(annotations) && { annotations: annotations }),
    server: connection.name,
    declared,
    isStale: () => connection.isStale,
    invoke: (args, call) => {
      // Steps of a workflow bypass the decision layers.
      if (excluded !== undefined) throw new GatewayError('TOOL_DENIED', excluded);
      if (isTaskOnly(declared)) throw taskOnly(name, connection.name);
      const { cancel, progress, client, meta } = call;
      // As the tool is registered: pins may not trust what its server declares.
      const { readOnlyHint, idempotentHint } = call.tool.annotations ?? {};
      const isRepeatable = readOnlyHint === true || idempotentHint === true;
      const options = { tool, call, cancel, progress, client, meta, isRepeatable };
      const text = rpcText('tools/call', head + argumentsText(args, what), {
        name: tool,
        mirrored: mirrored.headers(args),
      });
      return callFor(connection, call.request, { what, text, options });
    },
  };
}

function taskOnly(name: string, server: string): GatewayError {
  const reason = `server ${server} runs ${name} as a task only (execution.taskSupport is required)`;
  const cause = `${reason}; there are no tasks here`;
  return helpedBy({ do: 'find', other: true }, 'UPSTREAM_TASK_ONLY', cause);
}

function argumentsText(args: JsonObject, what: string): string {
  try {
    return exactText(args) ?? JSON.stringify(args);
  } catch (error) {
    throw new GatewayError('TOOL_ARGUMENTS', `arguments of ${what} are nested too deeply`, { cause: error });
  }
}

function faultOf(declared: unknown): string | undefined {
  const fault = nameFault(nameOf(declared) ?? '', MAX_OWN_NAME_CHARS);
  if (fault !== undefined) return fault;
  const levels = levelsExceeded(declared as JsonObject);
  if (levels !== undefined) return `it is nested deeper than ${levels} levels`;
  return isObject((declared as JsonObject)['inputSchema']) ? undefined : 'its inputSchema is not an object';
}

function nameOf(declared: unknown): string | undefined {
  const name = isObject(declared) ? declared['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
