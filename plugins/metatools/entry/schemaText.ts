import { escapeUnprintable, isObject } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import type { TrimmedSchemaOf } from './trimmedSchemaOf.ts';

const MAX_BYTES = 600;
/** Numbers of properties that are tried in turn. */
const PARTS = [12, 6, 3, 1];

/** The schema of a tool's arguments for an error: trimmed, or else the part that the error is about and what is required; as JSON,
 *  which holds a server's words as data. @returns undefined if nothing fits */
export function schemaText(
  schema: JsonSchema,
  keys: readonly string[],
  trimmedSchemaOf: TrimmedSchemaOf,
): string | undefined {
  const whole = trimmedSchemaOf(schema, MAX_BYTES);
  if (whole !== undefined) return `its inputSchema is ${asText(whole)}`;
  for (const count of PARTS) {
    const part = trimmedSchemaOf(partOf(schema, keys.slice(0, count)), MAX_BYTES);
    if (part !== undefined) return `of its inputSchema: ${asText(part)}; describe_tool shows the whole`;
  }
  return undefined;
}

function partOf({ properties, required }: JsonSchema, keys: readonly string[]): JsonObject {
  const all = isObject(properties) ? properties : {};
  const named = keys.filter((key) => Object.hasOwn(all, key));
  return {
    properties: Object.fromEntries(named.map((key) => [key, all[key]])),
    ...(Array.isArray(required) && { required }),
  };
}

function asText(schema: JsonObject): string {
  return escapeUnprintable(JSON.stringify(schema));
}
