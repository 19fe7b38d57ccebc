// Also loaded by the worker, so it imports nothing of the kernel.
import { rawMember, splitArray } from '../../kit/text/rawJson.ts';
import { PART_CHARS } from './resultHandle.ts';
import { newLinesIn } from './textPage.ts';

/** The readable parts of a stored result: `text` for pages and lines, `data` for selections. */
export interface StoredView {
  /** Its texts joined by newlines; without texts the JSON of the structured content. */
  readonly text: string;
  /** Whether there is data to select from; false for plain text. */
  readonly hasData: boolean;
  /** JSON of structuredContent, or of the result itself; undefined if `text` is the data, or there is none. */
  readonly data: string | undefined;
  /** Number of line breaks in each part of the text. */
  readonly newLines: readonly number[];
}
/** The parts of a result over the budget, with JSON exactly as the server wrote it. */
export interface ResultView extends StoredView {
  /** Size of the texts or of the structured content, whichever is larger; without images, sounds and files. */
  readonly bytes: number;
  /** Whether it is nothing but one text without an error, in lines that can be read one by one. */
  readonly isLines: boolean;
  /** Items without text as JSON, which a shortened result keeps. */
  readonly others: readonly string[];
  /** Its members isError and _meta as JSON, each preceded by a comma. */
  readonly members: string;
  /** `shape`, and `ids` if there are any. */
  readonly about: Record<string, unknown>;
}

/** What a client's tool shows of a line. */
const MAX_LINE_CHARS = 2_000;
const MAX_DEPTH = 3;
const MAX_KEYS = 20;
const ID = /(?:^|[._])id$|[a-z]Id$/;
const MAX_ID_CHARS = 128;
/** Limit of examined arrays and objects, and of parts of each: ids are usually near the top. */
const MAX_PARTS = 2_000;

/** @param json of a result @param maxIds how many ids are shown @param maxBytes of the shape, and of the ids */
export function examine(json: string, maxIds: number, maxBytes = Infinity): ResultView {
  const result = recordOf(JSON.parse(json));
  const raw = (name: string): string | undefined => (name in result ? rawMember(json, name) : undefined);
  const structure = raw('structuredContent');
  const { texts, others, isPlain } = itemsOf(result['content'], raw('content') ?? '');
  const joined = texts.join('\n');
  const text = joined === '' ? (structure ?? '') : joined;
  const own = structure === undefined && others.length === 0 ? containerIn(text) : undefined;
  const whole = isPlain ? undefined : result;
  const value = structure === undefined ? (own ?? whole) : result['structuredContent'];
  const isOwn = own !== undefined || structure === text || value === undefined;
  return {
    text,
    hasData: value !== undefined,
    data: isOwn ? undefined : (structure ?? json),
    newLines: newLinesIn(text, PART_CHARS),
    // A text repeats the structured content and clients show only one of them. Source: MCP 2025-11-25, Structured Content
    bytes: Math.max(
      texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0),
      Buffer.byteLength(structure ?? ''),
    ),
    isLines: isPlain && structure === undefined && result['isError'] !== true && hasShortLines(text),
    others,
    members: ['isError', '_meta'].map((name) => memberText(name, raw(name))).join(''),
    about:
      value === undefined
        ? { shape: textShape(text) }
        : { ...idsIn(value, maxIds, maxBytes), shape: shapeWithin(value, maxBytes) },
  };
}

function hasShortLines(text: string): boolean {
  let begin = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
    if (end - begin > MAX_LINE_CHARS) return false;
    begin = end + 1;
  }
  return text.length - begin <= MAX_LINE_CHARS;
}

function memberText(name: string, raw: string | undefined): string {
  return raw === undefined ? '' : `,"${name}":${raw}`;
}

interface Items {
  readonly texts: readonly string[];
  readonly others: readonly string[];
  /** Whether the content is exactly one text item. */
  readonly isPlain: boolean;
}

function itemsOf(content: unknown, raw: string): Items {
  const texts: string[] = [];
  const others: number[] = [];
  const types: unknown[] = [];
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  for (const [at, item] of items.entries()) {
    const { type, resource } = recordOf(item);
    const { text } = recordOf(type === 'resource' ? resource : type === 'text' ? item : undefined);
    if (typeof text === 'string') texts.push(text);
    else others.push(at);
    types.push(type);
  }
  const raws = others.length === 0 ? [] : splitArray(raw);
  return {
    texts,
    others: others.map((at) => raws[at] ?? ''),
    isPlain: texts.length === 1 && types.length === 1 && types[0] === 'text',
  };
}

/** The array or object that a text is the JSON of. */
function containerIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The shape as deep as fits. */
function shapeWithin(value: unknown, maxBytes: number): unknown {
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const shape = shapeOf(value, depth);
    if (bytesOf(shape) <= maxBytes) return shape;
  }
  return shapeOf(value, MAX_DEPTH);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Describes the structure of a value briefly: types, counts, keys; an array by its first element. */
function shapeOf(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) {
    const count = `array of ${value.length}`;
    return depth >= MAX_DEPTH || value.length === 0 ? count : { [count]: shapeOf(value[0], depth + 1) };
  }
  if (value === null) return 'null';
  if (typeof value === 'string') return textShape(value);
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value);
  if (depth >= MAX_DEPTH) return `object of ${entries.length} keys`;
  const more = entries.length - MAX_KEYS;
  const shown = entries.slice(0, MAX_KEYS).map(([key, one]) => [key, shapeOf(one, depth + 1)]);
  return { ...Object.fromEntries(shown), ...(more > 0 && { '...': `${more} more keys` }) };
}

export function textShape({ length }: string): string {
  return `string of ${length} characters`;
}

/** The ids by path, the outermost first, so that a caller can use them: `{ execution_id: '…', 'items[0].id': 7 }`. */
function idsIn(root: unknown, max: number, maxBytes: number): { readonly ids?: Record<string, unknown> } {
  const found: [string, unknown][] = [];
  const waiting: [string, unknown][] = [['', root]];
  for (const [path, container] of waiting) {
    if (found.length >= max) break;
    for (const [key, value] of partsOf(container)) {
      const place = typeof key === 'number' ? `${path}[${key}]` : `${path}${path === '' ? '' : '.'}${key}`;
      if (ID.test(place) && isId(value)) found.push([place, value]);
      else if (typeof value === 'object' && waiting.length < MAX_PARTS) waiting.push([place, value]);
    }
  }
  let bytes = 0;
  const shown = found.slice(0, max).filter((one) => (bytes += bytesOf(one)) <= maxBytes);
  return shown.length === 0 ? {} : { ids: Object.fromEntries(shown) };
}

function partsOf(container: unknown): Iterable<[string | number, unknown]> {
  return Array.isArray(container)
    ? container.slice(0, MAX_PARTS).entries()
    : Object.entries(container ?? {}).slice(0, MAX_PARTS);
}

function isId(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ID_CHARS);
}

/** The value as an object; empty for anything else. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
