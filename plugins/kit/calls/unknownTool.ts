import { ToolTable, escapeUnprintable, nearest } from 'pegboard';
import type { InboundRequest, Scope, Tool } from 'pegboard';
import { actionWords } from '../faults/action.ts';
import type { Action } from '../faults/action.ts';
import { allServices } from '../definitions/allServices.ts';
import { ownName } from './meantCall.ts';
import { perList, toolsByServer } from './perList.ts';

const MAX_NEAR = 3;
/** Number of names that look like the wrong one, of which those are near whose own part does. */
const LOOKED_AT = 8;
const SHORT_CHARS = 4;
const MAX_NAME_CHARS = 200;
const MAX_QUERY_CHARS = 60;
const MAX_READ_CHARS = 256;

/** What a name that no tool has can be answered with. */
export interface UnknownTool {
  /** The server that it would belong to, if the request knows no server of that name. */
  readonly server: string | undefined;
  /** Visible names that look alike. */
  readonly near: readonly string[];
  /** Both in words, or how to search. */
  readonly text: string;
  /** How to search, if no name looks alike. */
  readonly action?: Action;
}

export function unknownTool(asked: string, scope: Scope<unknown>, request: InboundRequest): UnknownTool {
  const name = asked.slice(0, MAX_READ_CHARS);
  const table = scope.get(ToolTable);
  const near = nearTools(name, table, request);
  const server = unknownServer(name, scope, request);
  const why = server === undefined ? '' : `no server is named ${quotedName(server)}; `;
  const words = wordsOf(name);
  if (near.length > 0) return { server, near, text: `${why}did you mean ${near.join(' or ')}?` };
  const action: Action = { do: 'find', ...(words !== '' && { query: words }) };
  return { server, near, text: why + actionWords(action, 'agent'), action };
}

/** Visible names that look like one, in the part that is theirs alone: names of one server begin alike. */
export function nearTools(name: string, table: ToolTable, request: InboundRequest): readonly string[] {
  const near = table.near(name, request, LOOKED_AT).filter((one) => {
    const tool = table.find(one, request);
    return tool !== undefined && isNear(name, tool);
  });
  return near.slice(0, MAX_NEAR);
}

function isNear(asked: string, tool: Tool): boolean {
  const own = ownName(tool).toLowerCase();
  const prefix = tool.name.slice(0, -own.length).toLowerCase();
  const lower = asked.toLowerCase();
  if (lower.endsWith(`_${own}`)) return true;
  const part = lower.startsWith(prefix) ? lower.slice(prefix.length) : lower.replace(/^[a-z]+_/, '');
  if (Math.max(part.length, own.length) > SHORT_CHARS) return nearest(part, [own], 1).length > 0;
  const same = part.split('').filter((char, at) => char === own.charAt(at)).length;
  return 2 * same >= Math.max(part.length, own.length);
}

/** The server that a name would belong to, if it has the form of a server's tool and the request knows no such server. */
function unknownServer(name: string, scope: Scope<unknown>, request: InboundRequest): string | undefined {
  const [kindWord = '', server = '', ...own] = name.split('_');
  if (server === '' || own.length === 0 || kindWord === 'core' || kindWord === 'workflow') return undefined;
  const table = scope.get(ToolTable);
  const begins = (prefix: string): boolean => name.startsWith(`${kindWord}_${prefix}_`);
  const services = allServices(scope);
  const isService = services.some(
    ({ name: one }) => begins(one) && !table.hides({ kind: 'server', name: one, server: one }, request),
  );
  if (isService) return undefined;
  const visible = table.visibleTo(request);
  if (beginnings(visible).has(`${kindWord}_${server}`)) return undefined;
  // The names of one server's tools begin alike.
  for (const [owner, [tool]] of toolsByServer(visible)) {
    if (tool === undefined) continue;
    const prefix = tool.name.slice(0, -ownName(tool).length);
    if (!tool.name.startsWith(`${kindWord}_`)) return undefined;
    if (begins(owner) || (prefix.length > kindWord.length + 1 && name.startsWith(prefix))) return undefined;
  }
  return server;
}

/** The first two words of all names that have more. */
const beginnings = perList((tools) => {
  const found = new Set<string>();
  for (const { name } of tools) {
    const end = name.indexOf('_', name.indexOf('_') + 1);
    if (end > name.indexOf('_')) found.add(name.slice(0, end));
  }
  return found;
});

/** The words of a name, for a search. */
function wordsOf(name: string): string {
  return name
    .slice(0, MAX_QUERY_CHARS)
    .replace(/^(?:x|core|workflow)_/i, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** A name that a client has sent, as a message may show it. */
export function quotedName(name: string): string {
  const short = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
  return escapeUnprintable(JSON.stringify(short));
}
