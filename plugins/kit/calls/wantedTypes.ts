import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];

/** The types that a JSON Schema allows, its branches included; none if it may allow any. Text comes last: with
 *  `number | string`, 3 is a number. */
export function wantedTypes({
  type,
  anyOf,
  oneOf,
  enum: values,
  const: only,
}: JsonObject): readonly string[] {
  const named = [type].flat().filter((one) => typeof one === 'string');
  const listed = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const own = named.length === 0 ? listed.map(typeOf) : named;
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const each =
    own.length > 0 ? [own] : branches.map((branch) => (isObject(branch) ? wantedTypes(branch) : []));
  if (each.some(({ length }) => length === 0)) return [];
  return [...new Set(each.flat())].sort((a, b) => Number(a === 'string') - Number(b === 'string'));
}

/** JSON Schema's name for the type of a JSON value; `number` for an integer. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Whether a JSON value has a type; one of an unknown name accepts every value. */
export function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeOf(value) === type || !TYPES.includes(type);
}
