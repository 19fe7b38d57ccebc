import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Most schemas that are read for one argument: a server writes them, their references may lead to each other, and what
 *  is behind is taken as if it were not there. */
const MAX_READ = 200;
/** Most characters of a reference, and most levels. */
const [MAX_REF_CHARS, MAX_DEPTH] = [1_000, 50];
const LISTS = ['anyOf', 'oneOf', 'allOf'] as const;
/** What else is read of a schema: all of its keys, copied for each reference, would take minutes. */
const KEYS = ['type', 'enum', 'const', 'description'] as const;

/** The schema with what its local references name in their place, and `allOf` taken together: what a text is to
 *  become is then read from `type`, `enum`, `const`, `anyOf`, `oneOf` and `items` alone.
 *  @param root in which `#/…` is looked up */
export function inlined(schema: JsonObject, root: JsonObject): JsonObject {
  let left = MAX_READ;
  const read = (one: unknown, depth: number): JsonObject => {
    if (!isObject(one) || left <= 0 || depth > MAX_DEPTH) return {};
    left -= 1;
    const { $ref, items } = one;
    const own = Object.fromEntries(KEYS.flatMap((key) => (Object.hasOwn(one, key) ? [[key, one[key]]] : [])));
    const lists = LISTS.flatMap((key) => {
      const branches = one[key];
      // What is not read here may be any value.
      return Array.isArray(branches)
        ? [[key, branches.slice(0, MAX_READ).map((branch) => read(branch, depth + 1))] as const]
        : [];
    });
    const { allOf = [], ...either } = Object.fromEntries(lists);
    const target = typeof $ref === 'string' ? read(targetOf($ref, root), depth + 1) : {};
    const list = isObject(items) ? { items: read(items, depth + 1) } : {};
    return Object.assign({}, target, ...allOf, own, either, list) as JsonObject;
  };
  return read(schema, 0);
}

/** What a JSON Pointer names (RFC 6901); undefined outside this document. */
function targetOf(ref: string, root: JsonObject): unknown {
  if (ref.length > MAX_REF_CHARS || !/^#(?:\/|$)/.test(ref)) return undefined;
  const keys = ref.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name)
      ? (at as JsonObject)[name]
      : undefined;
  }, root);
}
