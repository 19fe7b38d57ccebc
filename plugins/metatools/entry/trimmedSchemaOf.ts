import { isObject } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import { oneLine } from '../../kit/text/serverWords.ts';
import type { SummaryOf } from './summary.ts';

/** The schema of a tool's arguments as a model needs it: descriptions as one short line, without titles and examples.
 *  @returns undefined if it does not fit into that many bytes of JSON */
export type TrimmedSchemaOf = (schema: JsonSchema, maxBytes: number) => JsonObject | undefined;
/** A schema whose long texts are shortened if it is long: the same constraints in fewer bytes.
 *  @returns the schema itself if it is not long */
export type ShortSchemaOf = (schema: JsonSchema) => JsonSchema;

/** Lengths of descriptions that are tried in turn, in UTF-16 units. */
const DESCRIPTION_CHARS = [100, 50, 0];
/** Schemas of up to so many bytes are not shortened. */
const MAX_WHOLE_BYTES = 2_000;
/** Lengths of texts that are tried in turn, each with the bytes in which the schema must then fit. */
const TEXT_STEPS = [
  { chars: 200, maxBytes: MAX_WHOLE_BYTES },
  { chars: 100, maxBytes: 16_000 },
  { chars: 50, maxBytes: Infinity },
];
/** The part of its bytes that a shortened schema has at most, or else it is shown whole. */
const WORTHWHILE = 0.9;
/** Longer schemas are not trimmed, and their texts are cut anywhere: servers send them in any size. */
const MAX_READ_CHARS = 60_000;
/** Members that tell a model nothing that it needs to write arguments. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'example', 'examples', 'markdownDescription', 'deprecated'],
  ...['readOnly', 'contentMediaType', 'contentEncoding'],
]);
/** Members whose keys are names that the author of the schema has chosen. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
]);
/** Members that are values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'required', 'example', 'examples']);
/** Members that only explain. */
const TEXTS: ReadonlySet<string> = new Set(['description', 'title', '$comment', 'markdownDescription']);

/** What becomes of the members of a schema. */
interface Trimming {
  /** Also leaves out what a model does not need. */
  readonly isBrief: boolean;
  readonly line: (text: string) => string;
}

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
      const trimmed = trimmedBy(schema, { isBrief: true, line: (text) => summaryOf(text, chars) });
      if (bytesOf(trimmed) <= maxBytes) return trimmed;
    }
    return undefined;
  };
}

export function createShortener(): ShortSchemaOf {
  const known = new WeakMap<JsonSchema, JsonSchema>();
  return (schema) => {
    const short = known.get(schema) ?? shortened(schema);
    known.set(schema, short);
    return short;
  };
}

function shortened(schema: JsonSchema): JsonSchema {
  const json = JSON.stringify(schema);
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_WHOLE_BYTES) return schema;
  const isHuge = json.length > MAX_READ_CHARS;
  const cutText = isHuge ? hardCut : oneLine;
  for (const { chars, maxBytes } of isHuge ? TEXT_STEPS.slice(-1) : TEXT_STEPS) {
    const line = (text: string): string => (text.length <= chars ? text : cutText(text, chars));
    const short = trimmedBy(schema, { isBrief: false, line });
    const shortBytes = bytesOf(short);
    if (shortBytes <= maxBytes) return shortBytes <= bytes * WORTHWHILE ? short : schema;
  }
  return schema;
}

/** Cheap however many texts there are; never inside a surrogate pair. */
function hardCut(text: string, maxChars: number): string {
  return `${text.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function bytesOf(schema: JsonSchema): number {
  return Buffer.byteLength(JSON.stringify(schema));
}

function trimmedBy(schema: JsonObject, trimming: Trimming): JsonObject {
  const { isBrief, line } = trimming;
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (isBrief && isLeftOut(key, value)) continue;
    if (TEXTS.has(key) && typeof value === 'string') {
      const text = line(value);
      if (text !== '' || !isBrief) kept.push([key, text]);
    } else if (VALUES.has(key)) kept.push([key, value]);
    else if (BY_NAME.has(key) && isObject(value)) kept.push([key, mapped(value, trimming)]);
    else kept.push([key, part(value, trimming)]);
  }
  return Object.fromEntries(kept);
}

function isLeftOut(key: string, value: unknown): boolean {
  if (LEFT_OUT.has(key) || key.startsWith('x-')) return true;
  if (key === 'description') return typeof value !== 'string';
  return key === 'additionalProperties' && typeof value === 'boolean';
}

function mapped(schemas: JsonObject, trimming: Trimming): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, part(value, trimming)]));
}

function part(value: unknown, trimming: Trimming): unknown {
  if (Array.isArray(value)) return value.map((one) => part(one, trimming));
  return isObject(value) ? trimmedBy(value, trimming) : value;
}
