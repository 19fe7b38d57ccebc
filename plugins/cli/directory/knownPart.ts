import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

type Path = readonly (string | number)[];

/** A value, and the paths of what is left out of it. */
export interface KnownPart {
  readonly value: JsonObject;
  readonly leftOut: readonly Path[];
}

interface Place {
  /** The schemas of this place: one of them has to know a key. */
  readonly schemas: readonly JsonObject[];
  readonly path: Path;
  readonly leftOut: Path[];
}

/** The part of a value that one of the schemas knows. An empty key is left out without a word: gateways written in Go read it as none. */
export function knownPart(value: JsonObject, schemas: readonly JsonObject[]): KnownPart {
  const leftOut: Path[] = [];
  const resolved = schemas.map((schema) => withDefinitions(schema, schema) as JsonObject);
  return { value: within(value, { schemas: resolved, path: [], leftOut }) as JsonObject, leftOut };
}

function within(value: unknown, { schemas, path, leftOut }: Place): unknown {
  if (Array.isArray(value)) {
    const items = schemas.map((schema) => schema['items']).filter(isObject);
    return value.map((item, at) => within(item, { schemas: items, path: [...path, at], leftOut }));
  }
  const closed = schemas.filter(({ properties }) => isObject(properties));
  const open = schemas.map((schema) => schema['additionalProperties']).filter(isObject);
  if (!isObject(value) || closed.length + open.length === 0) return value;
  const kept = Object.entries(value).flatMap(([key, below]): [string, unknown][] => {
    const named = closed.map(({ properties }) => (properties as JsonObject)[key]).filter(isObject);
    const known = named.length > 0 ? named : open;
    const at = [...path, key];
    if (known.length === 0) leftOut.push(at);
    if (known.length === 0 || (below === null && !known.some(takesNull))) return [];
    return [[key, within(below, { schemas: known, path: at, leftOut })]];
  });
  return Object.fromEntries(kept);
}

function takesNull({ type }: JsonObject): boolean {
  return type === undefined || [type].flat().includes('null');
}

/** The schema with what its references name, as deep as it is written: steps hold steps of another name. */
function withDefinitions(schema: unknown, root: JsonObject): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withDefinitions(one, root));
  if (!isObject(schema)) return schema;
  const { $ref, ...own } = schema;
  const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
  const target = name === undefined ? {} : (root['$defs'] as Record<string, JsonObject>)[name];
  const entries = Object.entries({ ...target, ...own }).filter(([key]) => key !== '$defs');
  return Object.fromEntries(entries.map(([key, value]) => [key, withDefinitions(value, root)]));
}
