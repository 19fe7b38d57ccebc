import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document, Pair, ToStringOptions } from 'yaml';

/** As the file was read, where duplicate keys were already checked. */
const READING = { prettyErrors: false, uniqueKeys: false };

/** Makes the map at `path` of a YAML text equal `spec`; unchanged parts keep their comments, order and anchors, and editors the line
 *  that names the schema. Yields between parsing, writing and parsing again, because each may take long.
 *  @param besides keys of that map which are not part of `spec` and stay unchanged */
export async function editYaml(
  text: string,
  path: readonly string[],
  spec: JsonObject,
  besides: readonly string[] = [],
): Promise<string> {
  const careful = parseDocument(text, READING);
  await turn();
  const before = valueAt(careful, path);
  const wanted = { ...(isObject(before) && pick(before, besides)), ...spec };
  careful.setIn(path, fitted(careful, careful.getIn(path, true), before, wanted));
  const edited = careful.toString(styleOf(text));
  await turn();
  if (isDeepStrictEqual(valueAt(parseDocument(edited, READING), path), wanted))
    return withLineOf(text, edited);
  await turn();
  // An anchor shared with another place cannot be edited in place, so the whole map is rewritten.
  const blunt = parseDocument(text, READING);
  blunt.setIn(path, blunt.createNode(wanted));
  return withLineOf(text, blunt.toString(styleOf(text)));
}

/** A comment goes with the key below it; that of editors is the file's. */
function withLineOf(text: string, edited: string): string {
  const [line = ''] = /^# yaml-language-server:[^\n]*\n/.exec(text) ?? [];
  return edited.includes(line) ? edited : `${line}${edited}`;
}

function pick(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}

/** The node with the value `wanted`: the same node, edited, if possible. */
function fitted(document: Document, node: unknown, before: unknown, wanted: unknown): unknown {
  if (isDeepStrictEqual(before, wanted)) return node;
  if (isMap(node) && isObject(before) && isObject(wanted)) {
    const pairs = new Map(node.items.map((pair) => [nameOf(pair), pair]));
    node.items = node.items.filter((pair) => Object.hasOwn(wanted, nameOf(pair)));
    for (const [key, next] of Object.entries(wanted)) {
      const pair = pairs.get(key);
      if (pair === undefined) node.items.push(document.createPair(key, next));
      else pair.value = fitted(document, pair.value, before[key], next);
    }
    return node;
  }
  if (isSeq(node) && Array.isArray(before) && Array.isArray(wanted)) {
    const { items } = node;
    node.items = wanted.map((next, at) =>
      at < before.length ? fitted(document, items[at], before[at], next) : document.createNode(next),
    );
    return node;
  }
  if (!isScalar(node) || (typeof wanted === 'object' && wanted !== null)) return document.createNode(wanted);
  node.value = wanted;
  return node;
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

function valueAt(document: Document, path: readonly string[]): unknown {
  let value: unknown = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 });
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value;
}

/** The library writes a document in one style throughout; this detects the style of the text. */
function styleOf(text: string): ToStringOptions {
  const indent = /^( {1,8})[^ #\n]/m.exec(text)?.[1]?.length ?? 2;
  return {
    lineWidth: 0,
    indent: Math.max(indent, 1),
    indentSeq: !/^( *)[^\s#-].*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: /[[{] /.test(text),
  };
}
