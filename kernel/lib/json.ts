import type { JsonObject } from '../contracts/json.ts';

/** An object in JSON's sense: not an array, not null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The path to the first part of a value that is nested deeper than `levels`; undefined if there is none. */
export function pathBelow(value: unknown, levels: number): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return [];
  for (const [key, part] of Object.entries(value)) {
    const below = pathBelow(part, levels - 1);
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}

/** JSON.parse accepts deeper nesting than JSON.stringify. @returns undefined for a value that is too deep to write */
export function jsonText(value: unknown, indent = 0): string | undefined {
  try {
    return JSON.stringify(value ?? null, null, indent);
  } catch {
    return undefined;
  }
}

/** JSON without spaces, keys sorted: equal values have equal texts. @throws RangeError if the value is nested too deeply */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** A copy of an object with another value at a path of keys. */
export function withValue(all: JsonObject, path: readonly (string | number)[], value: unknown): JsonObject {
  const [key = '', ...rest] = path;
  const before = all[key];
  const part = rest.length === 0 ? value : withValue(isObject(before) ? before : {}, rest, value);
  return { ...all, [key]: part };
}
