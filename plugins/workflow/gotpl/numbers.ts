export const MAX_INT64 = (1n << 63n) - 1n;
export const MIN_INT64 = -(1n << 63n);
const MAX_UINT64 = (1n << 64n) - 1n;

const PREFIX_BASES = new Map([
  ['0x', 16],
  ['0X', 16],
  ['0b', 2],
  ['0B', 2],
  ['0o', 8],
  ['0O', 8],
]);

/** Go's strconv.ParseUint; base 0 reads prefixes and underscores. */
export function parseUintText(text: string, base: number, bits: 64): bigint | undefined {
  const value = parseDigits(text, base);
  return value === undefined || value > BigInt.asUintN(bits, MAX_UINT64) ? undefined : value;
}

/** Go's strconv.ParseInt; undefined if the text does not parse or the number does not fit. */
export function parseIntText(text: string, base: number, bits: 64): bigint | undefined {
  const sign = text[0];
  const digits = sign === '+' || sign === '-' ? text.slice(1) : text;
  const magnitude = parseDigits(digits, base);
  if (magnitude === undefined) return undefined;
  const value = sign === '-' ? -magnitude : magnitude;
  return BigInt.asIntN(bits, value) === value ? value : undefined;
}

function parseDigits(text: string, base: number): bigint | undefined {
  if (base !== 0) return digitsOf(text, base);
  const prefixBase = PREFIX_BASES.get(text.slice(0, 2));
  if (prefixBase !== undefined && text.length > 2) return withUnderscores(text.slice(2), prefixBase, true);
  if (text.startsWith('0') && text.length > 1) return withUnderscores(text.slice(1), 8, true);
  return withUnderscores(text, 10, false);
}

// An underscore is allowed between digits, and between the base's prefix and a digit.
function withUnderscores(text: string, base: number, hasPrefix: boolean): bigint | undefined {
  if (!text.includes('_')) return digitsOf(text, base);
  if (text.endsWith('_') || text.includes('__') || (text.startsWith('_') && !hasPrefix)) return undefined;
  return digitsOf(text.replaceAll('_', ''), base);
}

const DIGITS_BY_BASE = new Map([
  [2, /^[01]+$/],
  [8, /^[0-7]+$/],
  [10, /^[0-9]+$/],
  [16, /^[0-9a-fA-F]+$/],
]);
const PREFIX_BY_BASE = new Map([
  [2, '0b'],
  [8, '0o'],
  [10, ''],
  [16, '0x'],
]);
// Longer numbers never fit into 64 bits, and BigInt needs quadratic time for long texts.
const MAX_SIGNIFICANT_DIGITS = 80;

function digitsOf(text: string, base: number): bigint | undefined {
  if (!DIGITS_BY_BASE.get(base)?.test(text)) return undefined;
  const significant = text.replace(/^0+(?=.)/, '');
  if (significant.length > MAX_SIGNIFICANT_DIGITS) return undefined;
  return BigInt(`${PREFIX_BY_BASE.get(base) ?? ''}${significant}`);
}

// No digit may match in two ways (backtracking): texts are user data and can be long.
const DECIMAL_FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)$/;
const NAMED_FLOAT = /^([+-]?)(inf|infinity|nan)$/i;

/** Go's strconv.ParseFloat for 64 bits; undefined if the text does not parse or the number overflows. */
export function parseFloatText(text: string): number | undefined {
  const named = NAMED_FLOAT.exec(text);
  if (named) return namedFloat(named[1] ?? '', named[2] ?? '');
  const plain = text.includes('_') ? dropUnderscores(text) : text;
  if (plain === undefined) return undefined;
  const value = DECIMAL_FLOAT.test(plain) ? Number(plain) : hexFloat(plain);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

function namedFloat(sign: string, name: string): number | undefined {
  if (name.toLowerCase() === 'nan') return sign === '' ? Number.NaN : undefined;
  return sign === '-' ? -Infinity : Infinity;
}

// An underscore is allowed between two digits, and between the prefix 0x and a digit.
function dropUnderscores(text: string): string | undefined {
  const isHex = /^[+-]?0[xX]/.test(text);
  const misplaced = isHex ? /_(?![0-9a-fA-F])|(?<![0-9a-fA-FxX])_/ : /_(?!\d)|(?<!\d)_/;
  return misplaced.test(text) ? undefined : text.replaceAll('_', '');
}

function hexFloat(text: string): number | undefined {
  const match = HEX_FLOAT.exec(text);
  if (!match) return undefined;
  const digits = `${match[2] ?? ''}${match[3] ?? ''}`;
  if (digits === '' || digits.length > MAX_SIGNIFICANT_DIGITS) return undefined;
  const exponent = Number(match[4]) - 4 * (match[3] ?? '').length;
  const value = scaleByPowerOfTwo(BigInt(`0x${digits}`), exponent);
  return match[1] === '-' ? -value : value;
}

// Exact for up to 53 bits of mantissa; longer ones are rounded once by Number().
function scaleByPowerOfTwo(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  if (exponent > 1100) return Infinity;
  if (exponent < -1500) return 0;
  if (exponent >= 0) return Number(mantissa << BigInt(exponent));
  const half = Math.trunc(exponent / 2);
  return Number(mantissa) * 2 ** half * 2 ** (exponent - half);
}
