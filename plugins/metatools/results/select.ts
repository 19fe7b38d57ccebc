// Only the worker loads this: a path may take any time, and match() and search() run regular expressions of the caller.
import { randomUUID } from 'node:crypto';
import { JSONPathEnvironment, JSONPathError, JSONPathQuery, JSONPathRecursionLimitError } from 'json-p3';
import type { JSONPathNode, JSONValue } from 'json-p3';
import { skipString } from '../../kit/text/rawJson.ts';
import { isRecord } from './examine.ts';
import { TextPage } from './textPage.ts';
import type { AskedText, Shown } from './textPage.ts';

/** A selected image or sound as JSON, or the page of the selected text that was asked for. */
export type Selected = { readonly media: string } | Shown;

/** Its message is for the caller. */
export class SelectFault extends Error {}

/** Precedes a number that a double would write otherwise; unguessable, so no data has it. */
const MARK = `${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}([^"]+)"`, 'g');
const NUMBER = /-?\d[\d.eE+-]*/g;
/** The sign of a JSON that may have such a number. */
const MAYBE_MARKED = /\d{16}|\d[.eE]|-0/;
const MAX_KEYS = 20;
const MEDIA: ReadonlySet<unknown> = new Set(['image', 'audio']);
/** `..` needs stack for each level. */
const MAX_NESTING = 500;
const ENVIRONMENT = new JSONPathEnvironment({ maxRecursionDepth: MAX_NESTING });

/** What a JSONPath (RFC 9535, `$` is optional) selects: a string unquoted, any other value as indented JSON with numbers as
 *  in the source, several values as an array. @throws SelectFault */
export function select(data: string, path: string, asked: AskedText): Selected {
  const query = compiled(path);
  const kept = MAYBE_MARKED.test(data) ? marked(data) : data;
  const root = JSON.parse(kept) as JSONValue;
  const plain = kept === data ? root : (JSON.parse(data) as JSONValue);
  const values = nodesOf(query, plain).map(({ value, location }) =>
    kept === data ? value : location.reduce<unknown>(partOf, root),
  );
  if (!query.singularQuery()) return pageOf(jsonOf(values), asked);
  if (values.length === 0) throw nothingIn(plain, query);
  const [value] = values;
  if (isRecord(value) && typeof value['data'] === 'string' && MEDIA.has(value['type']))
    return { media: jsonOf(value, 0) };
  return pageOf(typeof value === 'string' && !value.startsWith(MARK) ? value : jsonOf(value), asked);
}

function pageOf(text: string, asked: AskedText): Shown {
  const page = new TextPage(asked);
  page.add(text);
  const { offset, shown, counted } = page;
  return { offset, shown, counted };
}

function compiled(path: string): JSONPathQuery {
  const trimmed = path.trim();
  const full = trimmed.startsWith('$') ? trimmed : `$${/^[.[]/.test(trimmed) ? '' : '.'}${trimmed}`;
  try {
    return ENVIRONMENT.compile(full);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    const at = Math.max(error.token.index - (full.length - trimmed.length), 0) + 1;
    const why = error.message.replace(/ \('.*$/s, '');
    const fix = 'use keys with dots, [n], [*], [1:5], ..key and [?@.key==1], for example $.items[0].name';
    throw new SelectFault(`select is invalid at character ${at}: ${why}; ${fix}`);
  }
}

function nodesOf(query: JSONPathQuery, root: JSONValue): readonly JSONPathNode[] {
  try {
    return query.query(root).nodes;
  } catch (error) {
    if (!(error instanceof JSONPathRecursionLimitError)) throw error;
    const text = `select meets values nested more than ${MAX_NESTING} deep with ..`;
    throw new SelectFault(`${text}; name the keys on the way instead`);
  }
}

/** Says which step of a path to one place fails, and what is there. */
function nothingIn(root: JSONValue, { segments }: JSONPathQuery): SelectFault {
  const upTo = (length: number): JSONPathQuery => new JSONPathQuery(ENVIRONMENT, segments.slice(0, length));
  let length = segments.length - 1;
  while (upTo(length).match(root) === undefined) length -= 1;
  const place = upTo(length + 1).toString({ form: 'pretty' });
  return new SelectFault(
    `select finds nothing at ${place}; the value above ${described(upTo(length).match(root)?.value)}`,
  );
}

function described(value: unknown): string {
  if (Array.isArray(value)) return `is an array of ${value.length}`;
  if (isRecord(value)) return `has the keys: ${Object.keys(value).slice(0, MAX_KEYS).join(', ')}`;
  return `is ${value === null ? 'null' : `a ${typeof value}`}`;
}

function partOf(value: unknown, key: string | number): unknown {
  return (value as Record<string | number, unknown>)[key];
}

/** The JSON with each number that a double would write otherwise as a marked text. */
function marked(json: string): string {
  const mark = (text: string): string => (String(Number(text)) === text ? text : `"${MARK}${text}"`);
  const pieces: string[] = [];
  for (let at = 0; at < json.length;) {
    const quote = json.indexOf('"', at);
    const open = quote < 0 ? json.length : quote;
    pieces.push(json.slice(at, open).replace(NUMBER, mark));
    at = quote < 0 ? open : skipString(json, open);
    pieces.push(json.slice(open, at));
  }
  return pieces.join('');
}

function jsonOf(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(MARKED, '$1');
}
