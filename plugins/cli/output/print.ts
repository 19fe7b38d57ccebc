import type { Invocation, JsonObject } from 'pegboard';
import { stringify } from 'yaml';
import { optionsOf } from '../commonOptions.ts';
import { tableLines } from './tableLines.ts';

/** A column: a title and the member that it shows, or a function. */
export interface Column {
  readonly title: string;
  readonly value: string | ((item: JsonObject) => unknown);
  /** Shown with `-o wide` only. */
  readonly isWide?: boolean;
}

/** Prints a list in the form that -o asks for; with json and yaml, an array of the objects as the gateway sent them.
 *  @param what the noun in the plural, for "No tools found" */
export function printList(
  invocation: Invocation,
  what: string,
  items: readonly JsonObject[],
  columns: readonly Column[],
): void {
  const { output, headers, quiet } = optionsOf(invocation);
  const { terminal } = invocation;
  if (output === 'json' || output === 'yaml') {
    terminal.out(asText(items, output));
    return;
  }
  const [name] = columns;
  if (output === 'name') {
    for (const item of items) terminal.out(`${cellOf(item, name?.value ?? 'name')}\n`);
    return;
  }
  if (items.length === 0) {
    if (quiet !== true) terminal.err(`No ${what} found\n`);
    return;
  }
  const shown = columns.filter(({ isWide }) => output === 'wide' || isWide !== true);
  const rows = items.map((item) => shown.map(({ value }) => cellOf(item, value)));
  const width = terminal.isTerminal ? terminal.columns : undefined;
  const titles = shown.map(({ title }) => title);
  terminal.out(tableLines(titles, rows, { hasHeaders: headers, columns: width }));
}

/** Prints one object: as YAML unless -o asks for JSON or its name. */
export function printObject(invocation: Invocation, object: JsonObject, name: string): void {
  const { output } = optionsOf(invocation);
  if (output === 'name') invocation.terminal.out(`${name}\n`);
  else invocation.terminal.out(asText(object, output === 'json' ? 'json' : 'yaml'));
}

export function asText(value: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : stringify(value, { lineWidth: 0 });
}

/** The text of a cell. */
export function cellOf(item: JsonObject, value: Column['value']): string {
  const found = typeof value === 'string' ? item[value] : value(item);
  if (found === undefined || found === null) return '';
  if (Array.isArray(found)) return found.map(String).join(',');
  return typeof found === 'string' ? found : JSON.stringify(found);
}
