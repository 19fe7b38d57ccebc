import { isJson } from './isJson.ts';
import { PAUSE } from './jsonReader.ts';
import type { JsonReader, Pausing } from './jsonReader.ts';
import { unquoted } from './selectedText.ts';
import { sumOf } from './textPage.ts';

/** The readable parts of a stored result: `text` for pages and lines, `data` for selections. */
export interface StoredView {
  /** Its texts joined by newlines; without texts the JSON of the structured content. */
  readonly text: string;
  /** Whether there is data to select from; false for plain text. */
  readonly hasData: boolean;
  /** JSON of structuredContent, or of the result itself; undefined if `text` is the data, or there is none. */
  readonly data: string | undefined;
}
/** The parts of a result over the budget, with JSON exactly as the server wrote it. */
export interface ResultView extends StoredView {
  /** Size of the texts or of the structured content, whichever is larger; without images, sounds and files. */
  readonly bytes: number;
  /** Items without text as JSON, which a shortened result keeps. */
  readonly others: readonly string[];
  /** Its members isError and _meta as JSON, each preceded by a comma. */
  readonly members: string;
}

interface Members {
  readonly content: Items;
  readonly structure: string | undefined;
  readonly members: string;
}
interface Items {
  readonly texts: readonly string[];
  readonly others: readonly string[];
  /** Whether the content is exactly one text item. */
  readonly isPlain: boolean;
}

export function* viewOf(json: JsonReader): Pausing<ResultView> {
  const { content, structure, members } = yield* membersOf(json);
  const { texts, others } = content;
  const joined = texts.join('\n');
  const text = joined === '' ? (structure ?? '') : joined;
  // A text repeats the structured content and clients show only one of them. Source: MCP 2025-11-25, Structured Content
  const bytes = Math.max(
    sumOf(texts.map((one) => Buffer.byteLength(one))),
    Buffer.byteLength(structure ?? ''),
  );
  const view = { text, bytes, others, members };
  if (structure !== undefined)
    return { ...view, hasData: true, data: structure === text ? undefined : structure };
  if (others.length === 0 && (yield* isData(text))) return { ...view, hasData: true, data: undefined };
  return { ...view, hasData: !content.isPlain, data: content.isPlain ? undefined : json.text };
}

function* isData(text: string): Pausing<boolean> {
  const checking = isJson(text);
  for (;;) {
    const { done, value } = checking.next();
    if (done === true) return value;
    yield PAUSE;
  }
}

/** Reads the members of a result, all of which may be missing; of equal keys the last one is used, as in JSON.parse. */
function* membersOf(json: JsonReader): Pausing<Members> {
  const places = new Map<unknown, number>();
  for (const key of json.parts(json.root)) {
    if (key === PAUSE) yield PAUSE;
    else places.set(json.scalar(key), json.valueOf(key));
  }
  const raw: string[] = [];
  for (const name of ['isError', '_meta']) {
    const at = places.get(name);
    if (at !== undefined) raw.push(`,"${name}":${yield* rawAt(json, at)}`);
  }
  const structure = places.get('structuredContent');
  return {
    content: yield* itemsOf(json, places.get('content')),
    structure: structure === undefined ? undefined : yield* rawAt(json, structure),
    members: raw.join(''),
  };
}

function* itemsOf(json: JsonReader, at: number | undefined): Pausing<Items> {
  const texts: string[] = [];
  const others: string[] = [];
  let isPlain = false;
  for (const item of at !== undefined && json.isArray(at) ? json.parts(at) : []) {
    if (item === PAUSE) {
      yield PAUSE;
      continue;
    }
    const type = yield* textOf(json, item, 'type');
    const holder = type === 'resource' ? yield* json.member(item, 'resource') : item;
    const hasText = holder !== undefined && (type === 'text' || type === 'resource');
    const text = hasText ? yield* textOf(json, holder, 'text') : undefined;
    if (text === undefined) others.push(yield* rawAt(json, item));
    else isPlain = texts.push(text) === 1 && type === 'text';
  }
  return { texts, others, isPlain: isPlain && others.length === 0 };
}

/** The string under a key; undefined if there is none. */
function* textOf(json: JsonReader, at: number, key: string): Pausing<string | undefined> {
  const value = yield* json.member(at, key);
  if (value === undefined || !json.isString(value)) return undefined;
  const pieces: string[] = [];
  for (const piece of unquoted(json, value)) {
    if (piece === '') yield PAUSE;
    else pieces.push(piece);
  }
  return pieces.join('');
}

function* rawAt(json: JsonReader, at: number): Pausing<string> {
  return json.text.slice(at, yield* json.end(at));
}
