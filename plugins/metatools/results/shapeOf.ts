import { isObject } from 'pegboard';

const MAX_DEPTH = 3;
const MAX_KEYS = 20;

/** What a value is made of, in a few words per part: types, counts, keys; arrays are told by their first element. */
export function shapeOf(value: unknown, depth = 0): unknown {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string of ${value.length} characters`;
  if (Array.isArray(value)) return arrayShape(value, depth);
  if (isObject(value)) return objectShape(value, depth);
  return typeof value;
}

function arrayShape(items: readonly unknown[], depth: number): unknown {
  const count = `array of ${items.length}`;
  if (items.length === 0 || depth >= MAX_DEPTH) return count;
  return { [count]: shapeOf(items[0], depth + 1) };
}

function objectShape(value: object, depth: number): unknown {
  const keys = Object.entries(value);
  if (depth >= MAX_DEPTH) return `object of ${keys.length} keys`;
  const shown = keys.slice(0, MAX_KEYS).map(([key, part]) => [key, shapeOf(part, depth + 1)]);
  const more = keys.length - MAX_KEYS;
  return { ...Object.fromEntries(shown), ...(more > 0 && { '...': `${more} more keys` }) };
}
