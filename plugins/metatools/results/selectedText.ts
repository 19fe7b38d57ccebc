import { PAUSE } from './jsonReader.ts';
import type { JsonReader, Offsets } from './jsonReader.ts';
import type { Selection } from './selectFrom.ts';

/** Approximate maximum length of a piece. */
const PIECE_CHARS = 65_536;
const LONGEST_ESCAPE = 6;
const INDENT = '  ';

/** The text of a selection, in pieces; an empty piece is a pause. A string is written unquoted, any other value as
 *  indented JSON with numbers as in the source, several values as an array. */
export function* selectedText(json: JsonReader, selection: Selection): Generator<string, void> {
  let piece = '';
  for (const part of partsOf(json, selection)) {
    piece += part;
    if (part !== '' && piece.length < PIECE_CHARS) continue;
    yield piece;
    if (part === '' && piece !== '') yield '';
    piece = '';
  }
  yield piece;
}

function partsOf(json: JsonReader, selection: Selection): Generator<string, void> {
  if ('places' in selection) return listOf(json, selection.places);
  return json.isString(selection.at) ? unquoted(json, selection.at) : indented(json, selection.at, '\n');
}

function* listOf(json: JsonReader, places: Offsets): Generator<string, void> {
  let before = '[';
  for (const place of places) {
    if (place === PAUSE) yield '';
    else {
      yield `${before}\n  `;
      yield* indented(json, place, '\n  ');
      before = ',';
    }
  }
  yield before === '[' ? '[]' : '\n]';
}

/** @param margin line break and indentation of the enclosing value */
function* indented(json: JsonReader, at: number, margin: string): Generator<string, void> {
  let next = at;
  let depth = 0;
  do {
    const from = next;
    const char = json.text.charAt(next);
    let part = char;
    if (json.isContainer(next)) {
      next = json.past(next + 1);
      if (json.isClosing(next)) part += json.text.charAt(next++);
      else part += margin + INDENT.repeat(++depth);
    } else if (json.isClosing(next)) {
      part = margin + INDENT.repeat(--depth) + char;
      next += 1;
    } else if (char === ',') {
      part += margin + INDENT.repeat(depth);
      next += 1;
    } else if (char === ':') {
      part += ' ';
      next += 1;
    } else {
      next = json.scalarEnd(next);
      part = json.text.slice(from, next);
    }
    if (depth > 0) next = json.past(next);
    yield part;
    if (json.spend(next - from + part.length)) yield '';
  } while (depth > 0);
}

/** The text of a JSON string, in pieces; an empty piece is a pause. */
export function* unquoted(json: JsonReader, at: number): Generator<string, void> {
  const end = json.scalarEnd(at) - 1;
  let from = at + 1;
  while (from < end) {
    const most = from + PIECE_CHARS;
    const to = most < end ? cutBefore(json.text, from, most) : end;
    yield JSON.parse(`"${json.text.slice(from, to)}"`) as string;
    if (json.spend(2 * (to - from))) yield '';
    from = to;
  }
}

/** The last position up to `to` that is not inside an escape. */
function cutBefore(text: string, from: number, to: number): number {
  const escape = text.lastIndexOf('\\', to - 1);
  if (escape < Math.max(from, to - LONGEST_ESCAPE + 1)) return to;
  let first = escape;
  while (first > from && text.charAt(first - 1) === '\\') first -= 1;
  return (escape - first) % 2 === 0 ? escape : to;
}
