import { GatewayError, escapeUnprintable, isObject, nearest } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { meantArgument } from '../../kit/calls/meantArgument.ts';

/** Arguments that clients add to every call of a tool. */
const ADDED_BY_CLIENTS: ReadonlySet<string> = new Set([
  // Gemini CLI 0.61.0 writes it into every tool's schema. Source: https://github.com/google-gemini/gemini-cli (packages/core/src/tools/tools.ts)
  'wait_for_previous',
  // n8n 1.119. Source: https://github.com/n8n-io/n8n/issues/21500
  'toolCallId',
  // `_meta` belongs next to `arguments`, not inside. Source: MCP 2025-11-25, Basic, _meta
  '_meta',
]);
/** Number of unknown arguments that an error names. */
const MAX_NAMED = 8;
const MAX_NAME_CHARS = 64;

export interface DeclaredArguments {
  /** Name of the meta-tool. */
  readonly name: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Reads the declared arguments of a meta-tool. Drops arguments that clients add to every call, and empty optional ones,
 *  as web forms and strict function calling send them; an empty array is kept if the schema requires an item.
 *  @throws GatewayError TOOL_ARGUMENTS for unknown arguments, suggesting near ones */
export function readArguments(args: JsonObject, declared: DeclaredArguments): JsonObject {
  const keys = Object.keys(args);
  const isTaken = (key: string): boolean => takes(declared, key, args[key]);
  if (keys.every(isTaken)) return args;
  const unknown = keys.filter(
    (key) => !Object.hasOwn(declared.properties, key) && !ADDED_BY_CLIENTS.has(key),
  );
  if (unknown.length > 0) throw unknownArguments(unknown, args, declared);
  return Object.fromEntries(keys.filter(isTaken).map((key) => [key, args[key]]));
}

function takes({ properties, required }: DeclaredArguments, key: string, value: unknown): boolean {
  if (!Object.hasOwn(properties, key)) return false;
  if (required.includes(key) || value === undefined) return true;
  if (value === null || value === '') return false;
  if (typeof value !== 'object' || Object.keys(value).length > 0) return true;
  const property = properties[key];
  return Array.isArray(value) && isObject(property) && 'minItems' in property;
}

function unknownArguments(
  all: readonly string[],
  args: JsonObject,
  declared: DeclaredArguments,
): GatewayError {
  const unknown = all.slice(0, MAX_NAMED).map((key) => key.slice(0, MAX_NAME_CHARS));
  const what = `unknown argument${unknown.length > 1 ? 's' : ''} ${unknown.join(', ')} of ${declared.name}`;
  const meant = meantBy(unknown, args, declared);
  const known = Object.keys(declared.properties).join(', ');
  const fix = meant.length > 0 ? `did you mean ${meant.join(', ')}?` : `it takes ${known || 'none'}`;
  return new GatewayError('TOOL_ARGUMENTS', `${what}; ${fix}`);
}

/** Suggestions: near names that are not given; if the tool has `arguments`, all others belong inside it. */
function meantBy(
  unknown: readonly string[],
  args: JsonObject,
  { properties }: DeclaredArguments,
): readonly string[] {
  const free = Object.keys(properties).filter((key) => !Object.hasOwn(args, key));
  const meant: string[] = [];
  const passedOn: string[] = [];
  for (const key of unknown) {
    const near = meantArgument(key, free) ?? nearest(key, free, 1)[0];
    const selector = free.includes('toolset') ? serverSelector(key, args[key]) : undefined;
    if (selector !== undefined) meant.push(`toolset: ${selector}`);
    else if (near !== undefined) meant.push(near);
    else if ('arguments' in properties) passedOn.push(`${JSON.stringify(key)}: …`);
  }
  return passedOn.length === 0 ? meant : [...meant, `arguments: {${passedOn.join(', ')}}`];
}

/** The selector for a server that is named in an argument of its own, as JSON. */
function serverSelector(key: string, value: unknown): string | undefined {
  const isServer = /^servers?(?:_?names?)?$/i.test(key);
  const [name] = Array.isArray(value) ? (value as unknown[]) : [value];
  if (!isServer || typeof name !== 'string' || name.length > MAX_NAME_CHARS) return undefined;
  return escapeUnprintable(JSON.stringify([`server:${name}`]));
}
