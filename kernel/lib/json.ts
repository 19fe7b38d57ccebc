import type { JsonObject } from '../contracts/json.ts';

/** An object in JSON's sense: no list, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
