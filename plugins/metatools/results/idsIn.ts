import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

const ID = /(?:^|[._])id$|[a-z]Id$/;
const MAX_ID_CHARS = 128;
/** Parts that are looked at: ids stand near the top, and a large result must not cost a second reading. */
const MAX_PARTS = 2_000;

/** Ids of a result that is cut, by their place, the outermost first: with them a caller can go on.
 *  @returns nothing when there are none, else `{ ids: { execution_id: '…', 'items[0].id': 7 } }` */
export function idsIn(root: unknown, max: number): JsonObject {
  const found: [string, unknown][] = [];
  const waiting: [string, unknown][] = [['', root]];
  for (let at = 0; at < waiting.length && found.length < max; at += 1) {
    const [path, part] = waiting[at] ?? ['', undefined];
    for (const [place, value] of partsOf(path, part)) {
      if (isId(place, value)) found.push([place, value]);
      else if (typeof value === 'object' && waiting.length < MAX_PARTS) waiting.push([place, value]);
    }
  }
  return found.length === 0 || max === 0 ? {} : { ids: Object.fromEntries(found.slice(0, max)) };
}

function partsOf(path: string, part: unknown): readonly [string, unknown][] {
  if (Array.isArray(part)) return part.slice(0, MAX_PARTS).map((item, at) => [`${path}[${at}]`, item]);
  if (!isObject(part)) return [];
  const dot = path === '' ? '' : '.';
  return Object.entries(part).map(([key, value]) => [`${path}${dot}${key}`, value]);
}

function isId(place: string, value: unknown): boolean {
  if (!ID.test(place)) return false;
  return typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ID_CHARS);
}
