import { fromBytes, isEscape, isWellFormed, toBytes } from './bytes.ts';
import { isPrintable } from './unicode.ts';

const SHORT_ESCAPES = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
]);

const SIMPLE = /^[ !#-[\]-~]*$/;

/** Quotes as Go's %q; asciiOnly as %+q. */
export function quote(text: string, asciiOnly = false): string {
  if (SIMPLE.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += char === '"' ? '\\"' : escapeChar(char, asciiOnly);
  return out + '"';
}

/** Quotes one code point as Go's %q of an integer. */
export function quoteRune(codePoint: number, asciiOnly = false): string {
  const isValid = codePoint >= 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint < 0xe000);
  const char = String.fromCodePoint(isValid ? codePoint : 0xfffd);
  return `'${char === "'" ? "\\'" : escapeChar(char, asciiOnly)}'`;
}

function escapeChar(char: string, asciiOnly: boolean): string {
  if (isEscape(char)) return `\\x${hex(char.charCodeAt(0) - 0xdc00, 2)}`;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code < 0xe000) return asciiOnly ? '\\ufffd' : '\ufffd';
  const short = SHORT_ESCAPES.get(char);
  if (short !== undefined) return short;
  if (asciiOnly ? code >= 0x20 && code < 0x7f : isPrintable(char)) return char;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

/** The text of a Go string literal including its quotes; undefined if it is not one. */
export function unquote(literal: string): string | undefined {
  const mark = literal[0];
  if (literal.length < 2 || literal.at(-1) !== mark) return undefined;
  const body = literal.slice(1, -1);
  if (mark === '`') return body.replaceAll('\r', '');
  if (mark !== '"' || body.includes('\n')) return undefined;
  if (!body.includes('\\')) return body.includes('"') ? undefined : body;
  return unquoteBody(body);
}

function unquoteBody(body: string): string | undefined {
  let out = '';
  let hasBytes = false;
  for (let i = 0; i < body.length;) {
    const unit = unquoteUnit(body, i, '"');
    if (unit === undefined) return undefined;
    out += unit.text;
    hasBytes ||= unit.isByte;
    i = unit.next;
  }
  // Separately escaped bytes may form one character.
  return hasBytes ? fromBytes(toBytes(out)) : out;
}

interface Unit {
  readonly text: string;
  readonly code: number;
  readonly isByte: boolean;
  readonly next: number;
}

const SIMPLE_ESCAPES = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
]);

const HEX_WIDTH = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Reads one character or escape of a literal that `mark` closes; undefined if it is malformed. */
export function unquoteUnit(body: string, at: number, mark: string): Unit | undefined {
  const char = String.fromCodePoint(body.codePointAt(at) ?? 0);
  if (char === mark && (mark === '"' || mark === "'")) return undefined;
  if (char !== '\\')
    return { text: char, code: char.codePointAt(0) ?? 0, isByte: false, next: at + char.length };
  const letter = body[at + 1] ?? '';
  const simple = SIMPLE_ESCAPES.get(letter);
  if (simple !== undefined) return plain(simple, at + 2);
  const width = HEX_WIDTH.get(letter);
  if (width !== undefined) return hexEscape(body.slice(at + 2, at + 2 + width), width, at);
  if (/[0-7]/.test(letter)) return octalEscape(body.slice(at + 1, at + 4), at);
  if ((letter === '"' || letter === "'") && letter === mark) return plain(letter.charCodeAt(0), at + 2);
  return undefined;
}

function plain(code: number, next: number): Unit {
  return { text: String.fromCodePoint(code), code, isByte: false, next };
}

function hexEscape(digits: string, width: number, at: number): Unit | undefined {
  if (digits.length !== width || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
  const code = Number.parseInt(digits, 16);
  const next = at + 2 + width;
  if (width === 2) return byteUnit(code, next);
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
  return plain(code, next);
}

function octalEscape(digits: string, at: number): Unit | undefined {
  if (!/^[0-7]{3}$/.test(digits)) return undefined;
  const code = Number.parseInt(digits, 8);
  return code > 255 ? undefined : byteUnit(code, at + 4);
}

function byteUnit(code: number, next: number): Unit {
  return { text: String.fromCharCode(code < 0x80 ? code : 0xdc00 + code), code, isByte: true, next };
}

/** Whether a text can be written between backquotes unchanged. */
export function canBackquote(text: string): boolean {
  return isWellFormed(text) && !/[`\ufeff\x7f]|[^\t\P{Cc}]/u.test(text);
}
