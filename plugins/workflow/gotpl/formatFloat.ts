// Go's strconv.FormatFloat for 64 bits.

type FloatFormat = 'e' | 'E' | 'f' | 'g' | 'G';

const SHORTEST = -1;

interface Decimal {
  readonly isNegative: boolean;
  /** Significant digits without a point; empty for zero. */
  readonly digits: string;
  /** The decimal point is before the digit at this index. */
  readonly point: number;
}

/** @param precision -1 for the shortest text that reads back as the same number */
export function formatFloat(value: number, format: FloatFormat, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const isShortest = precision === SHORTEST;
  if (format === 'f') {
    const decimal = isShortest ? shortest(value) : roundAt(value, precision);
    return fixed(decimal, isShortest ? Math.max(decimal.digits.length - decimal.point, 0) : precision);
  }
  if (format === 'e' || format === 'E') {
    const decimal = isShortest ? shortest(value) : roundTo(value, precision + 1);
    return exponential(decimal, isShortest ? Math.max(decimal.digits.length - 1, 0) : precision, format);
  }
  return general(value, format, precision);
}

/** Go's %v of a float64: shortest digits, with an exponent below 1e-4 and from 1e6 up. */
export function formatShortest(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e6) return String(value);
  return general(value, 'g', SHORTEST);
}

function general(value: number, format: 'g' | 'G', precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const isShortest = precision === SHORTEST;
  const decimal = isShortest ? shortest(value) : roundTo(value, Math.max(precision, 1));
  const count = decimal.digits.length;
  let threshold = precision === 0 ? 1 : precision;
  if (threshold > count && count >= decimal.point) threshold = count;
  if (isShortest) threshold = 6;
  const exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= threshold) {
    return exponential(decimal, Math.max(count - 1, 0), format === 'G' ? 'E' : 'e');
  }
  return fixed(decimal, Math.max(count - decimal.point, 0));
}

function fixed(decimal: Decimal, precision: number): string {
  const { digits, point } = decimal;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const sign = decimal.isNegative ? '-' : '';
  if (precision <= 0) return sign + whole;
  const leading = '0'.repeat(Math.min(Math.max(-point, 0), precision));
  const fraction = (leading + digits.slice(Math.max(point, 0))).slice(0, precision).padEnd(precision, '0');
  return `${sign}${whole}.${fraction}`;
}

function exponential(decimal: Decimal, precision: number, letter: string): string {
  const { digits } = decimal;
  const exponent = digits === '' ? 0 : decimal.point - 1;
  const fraction = precision > 0 ? `.${digits.slice(1, precision + 1).padEnd(precision, '0')}` : '';
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${decimal.isNegative ? '-' : ''}${digits[0] ?? '0'}${fraction}${letter}${exponent < 0 ? '-' : '+'}${power}`;
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

function shortest(value: number): Decimal {
  if (value === 0) return { isNegative: isNegative(value), digits: '', point: 1 };
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return { isNegative: value < 0, digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

// A float64 is mantissa * 2 ** exponent exactly.
function exactParts(value: number): [mantissa: bigint, exponent: number] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const biased = Number(raw >> 52n);
  const fraction = raw & ((1n << 52n) - 1n);
  return biased === 0 ? [fraction, -1074] : [fraction | (1n << 52n), biased - 1075];
}

// The integer nearest to value * 10 ** places, ties to even.
function scaledInteger(value: number, places: number): bigint {
  const [mantissa, exponent] = exactParts(value);
  let numerator = mantissa;
  let denominator = 1n;
  if (exponent >= 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  if (places >= 0) numerator *= 10n ** BigInt(places);
  else denominator *= 10n ** BigInt(-places);
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const roundsUp = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}

// More fraction digits than this are zeros for every float64.
const MAX_PLACES = 1100;

function roundAt(value: number, places: number): Decimal {
  const exact = Math.min(places, MAX_PLACES);
  const scaled = scaledInteger(value, exact);
  const digits = scaled === 0n ? '' : String(scaled);
  return { isNegative: isNegative(value), digits, point: digits === '' ? 1 : digits.length - exact };
}

function roundTo(value: number, count: number): Decimal {
  if (value === 0) return { isNegative: isNegative(value), digits: '', point: 1 };
  const exponent = Number(value.toExponential().split('e')[1] ?? 0);
  const places = Math.min(count, MAX_PLACES) - 1 - exponent;
  const digits = String(scaledInteger(value, places));
  const trimmed = digits.replace(/(?<!0)0+$/, '');
  return { isNegative: value < 0, digits: trimmed, point: digits.length - places };
}

/** Go's %b: mantissa and binary exponent. */
export function formatBinaryExponent(value: number): string {
  const [mantissa, exponent] = exactParts(value);
  return `${isNegative(value) ? '-' : ''}${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
}

/** Go's %x of a float64. @param precision digits behind the point, -1 for as many as needed */
export function formatHexFloat(value: number, precision: number, isUpper: boolean): string {
  if (!Number.isFinite(value)) return formatFloat(value, 'g', SHORTEST);
  const [mantissa, exponent] = exactParts(value);
  const text = mantissa === 0n ? zeroHex(precision) : hexDigits(mantissa, exponent, precision);
  const signed = `${isNegative(value) ? '-' : ''}${text}`;
  return isUpper ? signed.toUpperCase() : signed;
}

function zeroHex(precision: number): string {
  return `0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`;
}

function hexDigits(mantissa: bigint, exponent: number, precision: number): string {
  let bits = mantissa;
  let power = exponent + 52;
  while (bits < 1n << 52n) {
    bits <<= 1n;
    power--;
  }
  if (precision >= 0 && precision < 13) {
    const drop = BigInt(52 - 4 * precision);
    const rest = (bits & ((1n << drop) - 1n)) * 2n;
    const half = 1n << drop;
    bits >>= drop;
    if (rest > half || (rest === half && (bits & 1n) === 1n)) bits++;
    bits <<= drop;
    if (bits >= 1n << 53n) {
      bits >>= 1n;
      power++;
    }
  }
  let fraction = (bits & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  fraction =
    precision < 0 ? fraction.replace(/(?<!0)0+$/, '') : fraction.slice(0, precision).padEnd(precision, '0');
  const point = fraction === '' ? '' : `.${fraction}`;
  return `0x1${point}p${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
