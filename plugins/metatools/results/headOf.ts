import { sliceText } from './textPage.ts';

export interface HeadRoom {
  readonly maxChars: number;
  /** The longest head as a JSON string, without its quotes. */
  readonly maxBytes: number;
  /** Whether the text is JSON, whose items end at commas. */
  readonly isJson: boolean;
}

/** Sizes of the pieces that are tried in turn, in UTF-16 units. */
const PIECES = [4_096, 64, 1];

/** The longest beginning of a text that fits, up to the end of an item, a line or a word if one ends in its second half. */
export function headOf(text: string, { maxChars, maxBytes, isJson }: HeadRoom): string {
  const room = maxChars === 0 ? '' : sliceText(text, 0, maxChars);
  const end = endWithin(room, maxBytes);
  if (end === 0 || end === text.length) return text.slice(0, end);
  const least = end / 2;
  const ends = [isJson ? endOfItem(text, end, least) : 0, text.lastIndexOf('\n', end - 1) + 1];
  return text.slice(0, ends.find((one) => one > least) ?? endOfWord(text, end, least));
}

/** Never inside a surrogate pair. */
function endWithin(text: string, maxBytes: number): number {
  let end = 0;
  let bytes = 0;
  for (const chars of PIECES) {
    while (end < text.length) {
      const piece = sliceText(text, end, chars);
      const size = Buffer.byteLength(JSON.stringify(piece)) - 2;
      if (bytes + size > maxBytes) break;
      end += piece.length;
      bytes += size;
    }
  }
  return end;
}

/** The end of the last item, of the outermost list or object that has one after `least`; 0 without one. */
function endOfItem(json: string, end: number, least: number): number {
  const ends: number[] = [];
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < end; at += 1) {
    const char = json[at];
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',') ends[depth] = at + 1;
  }
  return ends.find((one) => one > least) ?? 0;
}

function endOfWord(text: string, end: number, least: number): number {
  let at = end;
  while (at > least && !/\s/.test(text.charAt(at)) && !/\s/.test(text.charAt(at - 1))) at -= 1;
  return at > least ? at : end;
}
