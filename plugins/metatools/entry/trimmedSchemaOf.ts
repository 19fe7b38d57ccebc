import { isObject } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import type { SummaryOf } from './summary.ts';

/** The schema of a tool's arguments as a model needs it: descriptions as one short line, without titles and examples.
 *  @returns undefined if it does not fit into that many bytes of JSON */
export type TrimmedSchemaOf = (schema: JsonSchema, maxBytes: number) => JsonObject | undefined;

/** Lengths of descriptions that are tried in turn, in UTF-16 units. */
const DESCRIPTION_CHARS = [100, 50, 0];
/** Longer schemas are not trimmed: servers send them in any size. */
const MAX_READ_CHARS = 60_000;
/** Members that tell a model nothing that it needs to write arguments. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'example', 'examples', 'markdownDescription', 'deprecated'],
  ...['readOnly', 'contentMediaType', 'contentEncoding'],
]);
/** Members whose keys are names that the author of the schema has chosen. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Members that are values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'required']);

export function createTrimmer(summaryOf: SummaryOf): TrimmedSchemaOf {
  const sizes = new WeakMap<JsonSchema, number>();
  const sizeOf = (schema: JsonSchema): number => {
    const size = sizes.get(schema) ?? JSON.stringify(schema).length;
    sizes.set(schema, size);
    return size;
  };
  return (schema, maxBytes) => {
    if (sizeOf(schema) > MAX_READ_CHARS) return undefined;
    for (const chars of DESCRIPTION_CHARS) {
      const trimmed = trimmedBy(schema, (text) => summaryOf(text, chars));
      if (Buffer.byteLength(JSON.stringify(trimmed)) <= maxBytes) return trimmed;
    }
    return undefined;
  };
}

function trimmedBy(schema: JsonObject, line: (text: string) => string): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (LEFT_OUT.has(key) || key.startsWith('x-')) continue;
    if (key === 'additionalProperties' && typeof value === 'boolean') continue;
    if (key === 'description') {
      const text = typeof value === 'string' ? line(value) : '';
      if (text !== '') kept.push([key, text]);
    } else if (VALUES.has(key)) kept.push([key, value]);
    else if (BY_NAME.has(key) && isObject(value)) kept.push([key, mapped(value, line)]);
    else kept.push([key, part(value, line)]);
  }
  return Object.fromEntries(kept);
}

function mapped(schemas: JsonObject, line: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, part(value, line)]));
}

function part(value: unknown, line: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => part(one, line));
  return isObject(value) ? trimmedBy(value, line) : value;
}
