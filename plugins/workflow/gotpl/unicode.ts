import { isAscii } from './bytes.ts';

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
const SPACE = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/u;
const UPPER = /^\p{Lu}$/u;
const LOWER = /^\p{Ll}$/u;
const TITLE = /^\p{Lt}$/u;
const PUNCTUATION = /^\p{P}$/u;
const NUMBER = /^\p{N}$/u;

/** Looks ASCII characters up: functions ask for each character of a long text. */
function classOf(has: (char: string) => boolean): (char: string) => boolean {
  const ascii = Array.from({ length: 128 }, (_, code) => has(String.fromCharCode(code)));
  return (char) => (char.length === 1 ? ascii[char.charCodeAt(0)] : undefined) ?? has(char);
}

export const isLetter = classOf((char) => LETTER.test(char));
export const isSpace = classOf((char) => SPACE.test(char));
export const isUpper = classOf((char) => UPPER.test(char));
export const isLower = classOf((char) => LOWER.test(char));
export const isTitle = classOf((char) => TITLE.test(char));
export const isPunctuation = classOf((char) => PUNCTUATION.test(char));
export const isNumber = classOf((char) => NUMBER.test(char));
export const isAlphaNumeric = classOf((char) => char === '_' || LETTER.test(char) || DIGIT.test(char));
export const isPrintable = classOf((char) => char === ' ' || PRINTABLE.test(char));

// Go maps one rune to one rune: special casing such as ß to SS does not apply.
export function upperRune(char: string): string {
  if (char === 'ı') return 'I';
  const upper = char.toUpperCase();
  return isOneRune(upper) ? upper : char;
}

export function lowerRune(char: string): string {
  if (char === 'İ') return 'i';
  const lower = char.toLowerCase();
  return isOneRune(lower) ? lower : char;
}

const TITLE_BY_DIGRAPH = new Map(
  ['Ǆ', 'ǅ', 'ǆ', 'Ǉ', 'ǈ', 'ǉ', 'Ǌ', 'ǋ', 'ǌ', 'Ǳ', 'ǲ', 'ǳ'].map((char, i, all) => [
    char,
    all[i - (i % 3) + 1] ?? char,
  ]),
);

export function titleRune(char: string): string {
  return TITLE_BY_DIGRAPH.get(char) ?? upperRune(char);
}

function isOneRune(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

export function mapRunes(text: string, map: (char: string) => string): string {
  let out = '';
  for (const char of text) out += map(char);
  return out;
}

/** Like mapRunes with upperRune; ASCII texts, the most common, skip the table. */
export function toUpper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapRunes(text, upperRune);
}

export function toLower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapRunes(text, lowerRune);
}
