import type { JsonObject } from 'pegboard';

/** The values without the keys that are undefined. */
export function withoutUndefined(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
