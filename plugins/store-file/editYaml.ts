import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document, ToStringOptions } from 'yaml';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

type Path = readonly (string | number)[];

/** Makes the map at `path` of a YAML text equal `spec`; comments, order and anchors of what stays equal are kept.
 *  @param besides keys of that map which are not part of `spec` and stay as they are */
export function editYaml(
  text: string,
  path: readonly string[],
  spec: JsonObject,
  besides: readonly string[] = [],
) {
  const careful = parseDocument(text);
  const before = valueAt(careful, path);
  const wanted = { ...(isObject(before) && pick(before, besides)), ...spec };
  fit(careful, path, before, wanted);
  const edited = careful.toString(styleOf(text));
  if (isDeepStrictEqual(valueAt(parseDocument(edited), path), wanted)) return edited;
  // An anchor shared with another place cannot be edited in place: the whole map is written anew.
  const blunt = parseDocument(text);
  put(blunt, path, wanted);
  return blunt.toString(styleOf(text));
}

function pick(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}

function fit(document: Document, path: Path, before: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(before, wanted)) return;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isMap(node) && isObject(before) && isObject(wanted)) {
    for (const key of Object.keys(before)) if (!Object.hasOwn(wanted, key)) document.deleteIn([...path, key]);
    for (const [key, next] of Object.entries(wanted)) fit(document, [...path, key], before[key], next);
    return;
  }
  if (isSeq(node) && Array.isArray(before) && Array.isArray(wanted)) {
    wanted.forEach((next, at) => fit(document, [...path, at], before[at], next));
    for (let at = before.length - 1; at >= wanted.length; at -= 1) document.deleteIn([...path, at]);
    return;
  }
  if (isScalar(node) && (typeof wanted !== 'object' || wanted === null)) node.value = wanted;
  else put(document, path, wanted);
}

function put(document: Document, path: Path, value: unknown): void {
  if (path.length === 0) document.contents = document.createNode(value);
  else document.setIn(path, document.createNode(value));
}

function valueAt(document: Document, path: readonly string[]): unknown {
  let value: unknown = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 });
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value;
}

/** The library writes a document in one style throughout; this is the text's own as far as it shows. */
function styleOf(text: string): ToStringOptions {
  const indent = /^( {1,8})[^ #\n-]/m.exec(text)?.[1]?.length ?? 2;
  return {
    lineWidth: 0,
    indent: Math.max(indent, 1),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: /[[{] /.test(text),
  };
}
