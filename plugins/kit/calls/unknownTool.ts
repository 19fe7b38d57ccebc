import { ToolTable, escapeUnprintable, nearest } from 'pegboard';
import type { InboundRequest, Scope, Tool } from 'pegboard';
import { ServiceSource } from '../../contracts/services.ts';
import { ownName } from './meantCall.ts';

const MAX_NEAR = 3;
/** Number of names that look like the wrong one, of which those are near whose own part does. */
const LOOKED_AT = 8;
const SHORT_CHARS = 4;
const MAX_NAME_CHARS = 200;
const MAX_QUERY_CHARS = 60;

/** The words for a name that no tool has: that its server is unknown, the names that are near, or how to search. */
export function unknownTool(name: string, scope: Scope<unknown>, request: InboundRequest): string {
  const table = scope.get(ToolTable);
  const server = unknownServer(name, scope, request);
  const why = server === undefined ? '' : `no server is named ${quotedName(server)}; `;
  const near = nearTools(name, table, request);
  if (near.length > 0) return `${why}did you mean ${near.join(' or ')}?`;
  const words = wordsOf(name);
  return words === ''
    ? `${why}find one with filter_tools`
    : `${why}call filter_tools with ${JSON.stringify({ query: words })}`;
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
  const table = scope.get(ToolTable);
  const visible = table.visibleTo(request).filter(({ kind }) => kind === 'tool');
  const [first] = visible;
  const kindWord = first === undefined ? 'x' : first.name.slice(0, first.name.indexOf('_'));
  const [word, server = '', ...own] = name.split('_');
  if (word !== kindWord || server === '' || own.length === 0) return undefined;
  const services = scope.all(ServiceSource).flatMap((source) => source.services());
  const known = services
    .map((service) => service.name)
    .filter((one) => !table.hides({ kind: 'server', name: one, server: one }, request));
  const begins = (prefix: string): boolean => name.startsWith(`${kindWord}_${prefix}_`);
  const isKnown =
    known.some(begins) ||
    visible.some(
      (tool) => begins(tool.server ?? '') || name.startsWith(tool.name.slice(0, -ownName(tool).length)),
    );
  return isKnown ? undefined : server;
}

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
