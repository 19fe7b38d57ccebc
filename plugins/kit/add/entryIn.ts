import type { JsonObject } from 'pegboard';
import { FORMATS, SyntaxFault } from '../clients/formats.ts';
import { entriesAt, isEntry, tablesIn } from '../clients/tables.ts';
import { Failure } from '../text/failure.ts';

/** An entry as a client's file has it. */
export interface NamedEntry {
  readonly name?: string;
  readonly value: JsonObject;
}

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
  if (isEntry(value)) {
    const { name } = value;
    return { ...(typeof name === 'string' && { name }), value };
  }
  const entries = tablesIn(value)
    .flatMap((at) => entriesAt(value, at))
    .filter((pair): pair is readonly [string, JsonObject] => isEntry(pair[1]));
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
