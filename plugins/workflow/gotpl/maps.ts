import { compareStrings } from './bytes.ts';
import { isDict, newDict, StringMap } from './values.ts';
import type { Dict } from './values.ts';

/** The own keys of a map in Go's order. */
export function sortedKeys(value: Dict | StringMap): string[] {
  const keys = value instanceof StringMap ? [...value.entries.keys()] : Object.keys(value);
  return keys.sort(compareStrings);
}

export function mapLength(value: Dict | StringMap): number {
  return value instanceof StringMap ? value.entries.size : Object.keys(value).length;
}

export function hasKey(value: Dict | StringMap, key: string): boolean {
  return value instanceof StringMap ? value.entries.has(key) : Object.hasOwn(value, key);
}

/** The value of an own key; undefined if the key is missing (maps never hold undefined). */
export function getKey(value: Dict | StringMap, key: string): unknown {
  if (value instanceof StringMap) return value.entries.get(key);
  return Object.hasOwn(value, key) ? (value[key] ?? null) : undefined;
}

export function isMap(value: unknown): value is Dict | StringMap {
  return isDict(value) || value instanceof StringMap;
}

const MAX_COPY_DEPTH = 3000;

/** Copies plain data into new lists and prototype-free dicts, which a template may then change. */
export function copyData(value: unknown, depth = 0): unknown {
  if (depth > MAX_COPY_DEPTH) throw new RangeError('data nested too deeply');
  if (Array.isArray(value)) return value.map((item: unknown) => copyData(item, depth + 1));
  if (!isDict(value)) return value;
  const copy = newDict();
  for (const key of Object.keys(value)) copy[key] = copyData(value[key], depth + 1);
  return copy;
}
