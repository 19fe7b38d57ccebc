import { isAlphaNumeric } from './unicode.ts';

interface NumberScan {
  readonly isValid: boolean;
  /** Offset after the number or, if it is not valid, after the first invalid character. */
  readonly end: number;
}

const DECIMAL = '0123456789_';
const HEX = '0123456789abcdefABCDEF_';

/** Finds the end of a number constant. Accepts some malformed ones, which the parser rejects. */
export function scanNumber(source: string, from: number): NumberScan {
  let at = skipOne(source, from, '+-');
  let digits = DECIMAL;
  if (source[at] === '0') {
    at++;
    const prefix = source[at] ?? '';
    if (prefix === 'x' || prefix === 'X') digits = HEX;
    else if (prefix === 'o' || prefix === 'O') digits = '01234567_';
    else if (prefix === 'b' || prefix === 'B') digits = '01_';
    if (digits !== DECIMAL) at++;
  }
  at = skipAll(source, at, digits);
  if (source[at] === '.') at = skipAll(source, at + 1, digits);
  const exponent = digits === DECIMAL ? 'eE' : digits === HEX ? 'pP' : '';
  if (isOneOf(source[at], exponent)) at = skipAll(source, skipOne(source, at + 1, '+-'), DECIMAL);
  at = skipOne(source, at, 'i');
  const next = source.codePointAt(at);
  if (next === undefined) return { isValid: true, end: at };
  const char = String.fromCodePoint(next);
  return isAlphaNumeric(char) ? { isValid: false, end: at + char.length } : { isValid: true, end: at };
}

function isOneOf(char: string | undefined, set: string): boolean {
  return char !== undefined && set.includes(char);
}

function skipOne(source: string, at: number, set: string): number {
  return isOneOf(source[at], set) ? at + 1 : at;
}

function skipAll(source: string, from: number, set: string): number {
  let at = from;
  while (isOneOf(source[at], set)) at++;
  return at;
}
