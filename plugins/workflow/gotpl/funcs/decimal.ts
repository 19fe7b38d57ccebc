import { CallError } from '../errors.ts';
import { formatShortest } from '../formatFloat.ts';

/** coefficient * 10 ** exponent */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const DIVISION_PLACES = 16;

/** The decimal written by the shortest text of a float. @throws CallError for NaN and infinities */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) throw new CallError(`Cannot create a Decimal from ${formatShortest(value)}`);
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { coefficient: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

export function toFloat({ coefficient, exponent }: Decimal): number {
  return Number(`${coefficient}e${exponent}`);
}

function align(a: Decimal, b: Decimal): [a: bigint, b: bigint, exponent: number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = (value: Decimal): bigint => value.coefficient * 10n ** BigInt(value.exponent - exponent);
  return [scale(a), scale(b), exponent];
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y, exponent] = align(a, b);
  return { coefficient: x + y, exponent };
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { coefficient: -b.coefficient, exponent: b.exponent });
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
}

/** Rounds to 16 places, halves away from zero. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (b.coefficient === 0n) throw new CallError('decimal division by 0');
  const shift = a.exponent - b.exponent + DIVISION_PLACES;
  const numerator = shift > 0 ? a.coefficient * 10n ** BigInt(shift) : a.coefficient;
  const denominator = shift < 0 ? b.coefficient * 10n ** BigInt(-shift) : b.coefficient;
  const quotient = numerator / denominator;
  const twice = abs(numerator % denominator) * 2n;
  const away = numerator < 0n === denominator < 0n ? 1n : -1n;
  return { coefficient: twice < abs(denominator) ? quotient : quotient + away, exponent: -DIVISION_PLACES };
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
