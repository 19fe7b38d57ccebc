import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Two parts of one entry; of maps, such as `env`, all keys. What both say, the second one decides. */
export function mergedEntry(first: JsonObject, second: JsonObject): JsonObject {
  const maps = Object.entries(second).flatMap(([key, value]) => {
    const other = first[key];
    return isObject(value) && isObject(other) && key !== 'transport'
      ? [[key, { ...other, ...value }] as const]
      : [];
  });
  return { ...first, ...second, ...Object.fromEntries(maps) };
}
