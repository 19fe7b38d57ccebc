import { isObject, plainText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { headerValue } from '../client/rpc/headerValue.ts';

const KEY = 'x-mcp-header';
/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_PATH_CHARS = 200;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);

/** An argument that is repeated in a header. */
interface Mirrored {
  readonly path: readonly string[];
  readonly header: string;
}

/** Arguments that the server wants repeated in headers, so that proxies can route by them.
 *  Source: MCP 2026-07-28, Custom Headers from Tool Parameters */
export interface MirroredArguments {
  /** Name and value in turn. */
  headers(args: JsonObject): readonly string[] | undefined;
  /** Why a client must not use the tool; undefined if it may. */
  readonly fault: string | undefined;
}

const NONE: MirroredArguments = { headers: () => undefined, fault: undefined };

/** @param text the declaration of the tool, searched first: few tools have such arguments */
export function mirroredArguments(inputSchema: unknown, text: string): MirroredArguments {
  if (!text.includes(`"${KEY}"`)) return NONE;
  const found: Found = new Map();
  const fault = visit(inputSchema, { path: [], isReachable: true, found });
  if (found.size === 0) return { ...NONE, fault };
  const all = [...found.values()];
  return { headers: (args) => all.flatMap((one) => headerOf(one, args)), fault };
}

/** Arguments by the header that repeats them, `mcp-param-…` in lower case. */
type Found = Map<string, Mirrored>;
interface Place {
  readonly path: readonly string[];
  /** Whether only `properties` lead here. */
  readonly isReachable: boolean;
  readonly found: Found;
}

/** @returns the first fault */
function visit(schema: unknown, place: Place): string | undefined {
  if (Array.isArray(schema)) return firstFault(schema, { ...place, isReachable: false });
  if (!isObject(schema)) return undefined;
  const { path, found } = place;
  if (KEY in schema) {
    const fault = faultOf(schema, place);
    if (fault !== undefined) return `${KEY} of ${shown(path)} ${fault}`;
    const header = headerFor(schema[KEY]);
    found.set(header, { path, header });
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const fault =
      keyword === 'properties' && isObject(value)
        ? firstFaultIn(value, place)
        : isLiteral(keyword)
          ? undefined
          : visit(value, { ...place, path: [...path, keyword], isReachable: false });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The path in the status: names of arguments are the server's, and may be anything. */
function shown(path: readonly string[]): string {
  return plainText(path.join('.')).slice(0, MAX_PATH_CHARS) || 'the schema itself';
}

/** The values of these keywords are data, not schemas. */
function isLiteral(keyword: string): boolean {
  return ['const', 'enum', 'default', 'examples', KEY].includes(keyword);
}

function firstFault(schemas: readonly unknown[], place: Place): string | undefined {
  for (const schema of schemas) {
    const fault = visit(schema, place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function firstFaultIn(properties: JsonObject, place: Place): string | undefined {
  for (const [name, schema] of Object.entries(properties)) {
    const fault = visit(schema, { ...place, path: [...place.path, name] });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(schema: JsonObject, { path, isReachable, found }: Place): string | undefined {
  const { [KEY]: name, type } = schema;
  if (!isReachable || path.length === 0) return 'is allowed only below properties';
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not the name of a header';
  if (!TYPES.has(type)) return 'is allowed only for a string, an integer or a boolean';
  return found.has(headerFor(name)) ? 'repeats the name of another one' : undefined;
}

function headerFor(name: unknown): string {
  return `mcp-param-${String(name).toLowerCase()}`;
}

/** Absent and null arguments have no header. */
function headerOf({ path, header }: Mirrored, args: JsonObject): readonly string[] {
  let value: unknown = args;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof value === 'string') return [header, headerValue(value)];
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? [header, String(value)] : [];
}
