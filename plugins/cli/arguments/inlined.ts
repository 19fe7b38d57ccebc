import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Most references that are followed for one argument: a server writes them, and they may lead to each other. */
const MAX_FOLLOWED = 200;
const LISTS = ['anyOf', 'oneOf', 'allOf'] as const;

/** The schema with what its local references name in their place, and `allOf` taken together: what a text is to
 *  become is then read from `type`, `enum`, `const`, `anyOf`, `oneOf` and `items` alone.
 *  @param root in which `#/…` is looked up */
export function inlined(schema: JsonObject, root: JsonObject): JsonObject {
  let followed = 0;
  const read = (one: unknown): JsonObject => {
    if (!isObject(one) || followed > MAX_FOLLOWED) return {};
    const { $ref, items, ...own } = one;
    if ($ref !== undefined) followed += 1;
    const lists = LISTS.flatMap((key) => {
      const branches = own[key];
      followed += Array.isArray(branches) ? branches.length : 0;
      return Array.isArray(branches) ? [[key, branches.map(read)] as const] : [];
    });
    const { allOf = [], ...either } = Object.fromEntries(lists);
    const target = typeof $ref === 'string' ? read(targetOf($ref, root)) : {};
    const list = isObject(items) ? { items: read(items) } : {};
    return Object.assign({}, target, ...allOf, own, either, list) as JsonObject;
  };
  return read(schema);
}

/** What a JSON Pointer names (RFC 6901); undefined outside this document. */
function targetOf(ref: string, root: JsonObject): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  const keys = ref.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name)
      ? (at as JsonObject)[name]
      : undefined;
  }, root);
}
