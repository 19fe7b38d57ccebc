import { PAUSE } from './jsonReader.ts';
import type { JsonReader, Pausing } from './jsonReader.ts';

const MAX_DEPTH = 3;
const MAX_KEYS = 20;

/** Describes the structure of a value briefly: types, counts, keys; an array by its first element. */
export function* shapeOf(json: JsonReader, at = json.root, depth = 0): Pausing<unknown> {
  if (json.isContainer(at))
    return yield* json.isArray(at) ? arrayShape(json, at, depth) : objectShape(json, at, depth);
  const value = json.scalar(at);
  if (value === null) return 'null';
  return typeof value === 'string' ? textShape(value.length) : typeof value;
}

export function textShape(chars: number): string {
  return `string of ${chars} characters`;
}

function* arrayShape(json: JsonReader, at: number, depth: number): Pausing<unknown> {
  let first: unknown;
  let count = 0;
  for (const item of json.parts(at)) {
    if (item === PAUSE) yield PAUSE;
    else if (++count === 1 && depth < MAX_DEPTH) first = yield* shapeOf(json, item, depth + 1);
  }
  const text = `array of ${count}`;
  return first === undefined ? text : { [text]: first };
}

function* objectShape(json: JsonReader, at: number, depth: number): Pausing<unknown> {
  const shown: [string, unknown][] = [];
  let count = 0;
  for (const key of json.parts(at)) {
    if (key === PAUSE) yield PAUSE;
    else if (++count <= MAX_KEYS && depth < MAX_DEPTH)
      shown.push([String(json.scalar(key)), yield* shapeOf(json, json.valueOf(key), depth + 1)]);
  }
  if (depth >= MAX_DEPTH) return `object of ${count} keys`;
  const more = count - MAX_KEYS;
  return { ...Object.fromEntries(shown), ...(more > 0 && { '...': `${more} more keys` }) };
}
