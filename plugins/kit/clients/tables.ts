import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { URL_KEYS } from './entry/transportOf.ts';
import type { KeyPath } from './formats.ts';

/** Where files keep their servers, when no client says it. */
const PATHS: readonly KeyPath[] = [
  ...['mcpServers', 'servers', 'mcp_servers', 'context_servers', 'mcp', 'extensions'].map((key) => [key]),
  ...['amp.mcpServers', 'mcp.servers', 'mcpTemplates', 'mcp-servers', 'mcpservers'].map((key) => [key]),
  ['mcp', 'servers'],
  ['mcp', 'mcpServers'],
  ['powers', 'mcpServers'],
];
/** Keys that only an entry has. */
const OF_ENTRIES = ['command', 'cmd', 'transport', ...URL_KEYS];

/** Keys of files that describe something else. */
const OF_OTHERS = ['packages', 'remotes', 'manifest_version', 'dxt_version', 'dependencies', 'startCommand'];

/** An entry of a table: what is not an object is a fault of its own. */
export type NamedEntry = readonly [name: string, value: unknown];

/** The tables of a file that no client is known to keep: each that holds an entry, or the file itself if it is one. */
export function tablesIn(file: JsonObject): readonly KeyPath[] {
  const found = PATHS.filter((path) => entriesAt(file, path).some(([, value]) => isEntry(value)));
  if (found.length > 0) return found;
  const objects = Object.values(file).filter(isObject);
  const isFlat =
    objects.length > 0 && objects.every(isEntry) && !OF_OTHERS.some((key) => Object.hasOwn(file, key));
  return isFlat ? [[]] : [];
}

/** The entries by name; a list has its names within. */
export function entriesAt(file: JsonObject, at: KeyPath): readonly NamedEntry[] {
  const value = at.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), file);
  if (!Array.isArray(value)) return Object.entries(isObject(value) ? value : {});
  return (value as unknown[]).map((one, index) => [nameIn(one) ?? `number ${index + 1}`, one] as const);
}

/** The first place of a table in a file, where one that is new would go. */
export function firstTable(file: JsonObject): KeyPath {
  return tablesIn(file)[0] ?? PATHS.find(([key = '']) => isObject(file[key])) ?? ['mcpServers'];
}

/** Whether a value says what is started, or where to connect. */
export function isEntry(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  return (
    OF_ENTRIES.some((key) => typeof value[key] === 'string' || Array.isArray(value[key])) ||
    isObject(value['command']) ||
    isObject(value['transport'])
  );
}

function nameIn(value: unknown): string | undefined {
  const { name, uses } = isObject(value) ? value : {};
  return [name, uses].find((one) => typeof one === 'string' && one !== '') as string | undefined;
}
