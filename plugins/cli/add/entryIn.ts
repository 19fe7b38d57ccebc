import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { FORMATS, SyntaxFault } from '../clients/formats.ts';
import { Failure } from '../failure.ts';

/** An entry as a client's file has it. */
export interface NamedEntry {
  readonly name?: string;
  readonly value: JsonObject;
}

/** Keys under which clients list their servers. */
const LISTS = [
  'mcpServers',
  'servers',
  'mcp_servers',
  'context_servers',
  'mcp',
  'amp.mcpServers',
  'extensions',
];
const OWN = ['command', 'cmd', 'url', 'httpUrl', 'serverUrl', 'uri'];

/** An object of JSON text, with comments and commas as editors write them, also without its outer braces. @param what names the text
 *  in messages @throws Failure that holds nothing of the text */
export function objectIn(text: string, what: string): JsonObject {
  const whole = /^\s*"/.test(text) ? `{${text}}` : text;
  try {
    return FORMATS.json.parse(whole);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    throw new Failure(`${what} is not valid JSON: ${error.message} at ${error.line}:${error.column}`);
  }
}

/** The one server that an object describes: an entry, with its name or without, or a list of one.
 *  @throws Failure for several, and for none */
export function entryIn(value: JsonObject, what: string): NamedEntry {
  const key = LISTS.find((one) => isObject(value[one]) && !OWN.some((own) => Object.hasOwn(value, own)));
  if (key !== undefined) return onlyOne(value[key] as JsonObject, what);
  if (OWN.some((own) => Object.hasOwn(value, own))) {
    const { name } = value;
    return { ...(typeof name === 'string' && { name }), value };
  }
  return onlyOne(value, what);
}

function onlyOne(servers: JsonObject, what: string): NamedEntry {
  const nested = LISTS.find((one) => isObject(servers[one]));
  if (nested !== undefined) return onlyOne(servers[nested] as JsonObject, what);
  const entries = Object.entries(servers).filter(
    (pair): pair is [string, JsonObject] =>
      isObject(pair[1]) && OWN.some((own) => Object.hasOwn(pair[1] as JsonObject, own)),
  );
  const [first, ...others] = entries;
  if (first !== undefined && others.length === 0) return { name: first[0], value: first[1] };
  if (first === undefined)
    throw new Failure(
      `${what} describes no MCP server: an entry has a "command" or a "url"; use: pegboard add <name> -- <command>`,
    );
  const names = entries.map(([name]) => name).join(', ');
  const file = what.endsWith('.json') ? what : '<file>, with this text in the file';
  throw new Failure(`${what} describes ${entries.length} servers (${names}); use: pegboard import ${file}`);
}
