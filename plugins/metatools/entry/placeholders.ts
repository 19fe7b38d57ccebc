import { isObject } from 'pegboard';
import type { JsonObject, JsonSchema } from 'pegboard';
import { wantedTypes } from '../../kit/calls/wantedTypes.ts';

const MAX_ARGUMENTS = 8;
const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

/** Arguments with a placeholder for each required one. */
export function placeholders({ properties, required }: JsonSchema): JsonObject {
  const named: readonly unknown[] = Array.isArray(required) ? required : [];
  const keys = named.filter((key) => typeof key === 'string').slice(0, MAX_ARGUMENTS);
  return Object.fromEntries(
    keys.map((key) => [key, placeholder(isObject(properties) ? properties[key] : undefined)]),
  );
}

function placeholder(schema: unknown): unknown {
  const [type = ''] = isObject(schema) ? wantedTypes(schema) : [];
  if (type === 'object') return {};
  if (type === 'array') return [];
  return SCALARS.has(type) ? `<${type}>` : '<value>';
}
