import type { JsonObject } from 'pegboard';
import { PAUSE } from './jsonReader.ts';
import type { JsonReader, Pausing } from './jsonReader.ts';

const ID = /(?:^|[._])id$|[a-z]Id$/;
const MAX_ID_CHARS = 128;
/** Limit of examined arrays and objects, and of parts of each: ids are usually near the top. */
const MAX_PARTS = 2_000;

/** The ids in a shortened result, by path, the outermost first, so that a caller can use them.
 *  @returns an empty object if there are none, else `{ ids: { execution_id: '…', 'items[0].id': 7 } }` */
export function* idsIn(json: JsonReader, max: number): Pausing<JsonObject> {
  const found: [string, unknown][] = [];
  const waiting: [string, number][] = [['', json.root]];
  for (let at = 0; at < waiting.length && found.length < max; at += 1) {
    const [path, container] = waiting[at] ?? ['', 0];
    let count = 0;
    for (const part of json.parts(container)) {
      if (part === PAUSE) {
        yield PAUSE;
        continue;
      }
      if (++count > MAX_PARTS) break;
      const [place, value] = json.isArray(container)
        ? [`${path}[${count - 1}]`, part]
        : [`${path}${path === '' ? '' : '.'}${String(json.scalar(part))}`, json.valueOf(part)];
      if (ID.test(place) && isId(json, value)) found.push([place, json.scalar(value)]);
      else if (json.isContainer(value) && waiting.length < MAX_PARTS) waiting.push([place, value]);
    }
  }
  return found.length === 0 || max === 0 ? {} : { ids: Object.fromEntries(found.slice(0, max)) };
}

function isId(json: JsonReader, at: number): boolean {
  // An escaped character takes up to six characters.
  if (json.isContainer(at) || json.scalarEnd(at) - at > 6 * MAX_ID_CHARS + 2) return false;
  const value = json.scalar(at);
  return typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ID_CHARS);
}
