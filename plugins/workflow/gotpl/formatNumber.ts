import { formatBinaryExponent, formatFloat, formatHexFloat } from './formatFloat.ts';
import type { Flags } from './flags.ts';

const BASES = new Map([
  ['b', 2],
  ['o', 8],
  ['O', 8],
  ['x', 16],
  ['X', 16],
]);

/** An integer with sign, base prefix and leading zeros, not yet padded with spaces. */
export function padInteger(value: bigint, verb: string, flags: Flags): string {
  const { precision, width, plus, space, zero, minus, sharp } = flags;
  if (precision === 0 && value === 0n) return '';
  const isNegative = value < 0n;
  let places = precision ?? 0;
  if (precision === undefined && zero && !minus && width !== undefined) {
    places = isNegative || plus || space ? width - 1 : width;
  }
  const magnitude = isNegative ? -value : value;
  const digits = magnitude.toString(BASES.get(verb) ?? 10).padStart(places, '0');
  const body = basePrefix(verb, digits, sharp) + (verb === 'X' ? digits.toUpperCase() : digits);
  if (isNegative) return `-${body}`;
  if (plus) return `+${body}`;
  return space ? ` ${body}` : body;
}

function basePrefix(verb: string, digits: string, sharp: boolean): string {
  if (verb === 'O') return sharp && !digits.startsWith('0') ? '0o0' : '0o';
  if (!sharp) return '';
  if (verb === 'b') return '0b';
  if (verb === 'o') return digits.startsWith('0') ? '' : '0';
  return verb === 'x' || verb === 'X' ? `0${verb}` : '';
}

/** The `#` flag of floats: always a decimal point; %#g also keeps trailing zeros up to the precision. */
export function withDecimalPoint(body: string, verb: string, precision: number): string {
  const isHex = verb === 'x' || verb === 'X';
  const tailAt = body.search(isHex ? /[pP]/ : /[eEpP]/);
  const head = tailAt < 0 ? body : body.slice(0, tailAt);
  const tail = tailAt < 0 ? '' : body.slice(tailAt);
  let missing = 0;
  if ('vgGx'.includes(verb)) {
    missing = precision === -1 ? 6 : precision;
    const significant = head.replace('.', '').replace(/^0+/, '');
    missing -= significant.length;
    if (head === '0') missing--;
  }
  const point = head.includes('.') ? '' : '.';
  return head + point + '0'.repeat(Math.max(missing, 0)) + tail;
}

/** A float under a verb; undefined if the verb is not for floats. */
export function floatText(number: number, verb: string, precision: number | undefined): string | undefined {
  switch (verb) {
    case 'v':
    case 'g':
      return formatFloat(number, 'g', precision ?? -1);
    case 'G':
      return formatFloat(number, 'G', precision ?? -1);
    case 'e':
    case 'E':
      return formatFloat(number, verb, precision ?? 6);
    case 'f':
    case 'F':
      return formatFloat(number, 'f', precision ?? 6);
    case 'b':
      return formatBinaryExponent(number);
    case 'x':
    case 'X':
      return formatHexFloat(number, precision ?? -1, verb === 'X');
    default:
      return undefined;
  }
}

export function runeOf(value: bigint): number {
  return value < 0n || value > 0x10ffffn ? 0xfffd : Number(value);
}

export function charOf(value: bigint): string {
  const code = runeOf(value);
  return code >= 0xd800 && code < 0xe000 ? '\ufffd' : String.fromCodePoint(code);
}
