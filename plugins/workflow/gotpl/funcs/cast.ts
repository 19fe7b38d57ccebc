import { MIN_INT64, parseFloatText, parseIntText } from '../numbers.ts';
import { floatOf, integerOf, NamedInt } from '../values.ts';

// The library knows months and weekdays by name; it does not take a duration for a number.
function castable(value: unknown): bigint | undefined {
  return value instanceof NamedInt && value.kindName !== 'int' ? undefined : integerOf(value);
}

/** Converts any value as spf13/cast does; 0 if it cannot be converted. */
export function toInt64(value: unknown): bigint {
  const integral = castable(value);
  if (integral !== undefined) return BigInt.asIntN(64, integral);
  const number = floatOf(value);
  if (number !== undefined) return truncate(number);
  if (typeof value === 'string') return parseIntText(dropZeroFraction(value), 0, 64) ?? 0n;
  return value === true ? 1n : 0n;
}

// For numbers out of range, Go on amd64 returns the lowest integer.
function truncate(number: number): bigint {
  if (!Number.isFinite(number)) return MIN_INT64;
  const whole = BigInt(Math.trunc(number));
  return BigInt.asIntN(64, whole) === whole ? whole : MIN_INT64;
}

// "5.00" counts as 5, "5." and "5.1" do not.
function dropZeroFraction(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '0') end--;
  return end < text.length && text[end - 1] === '.' ? text.slice(0, end - 1) : text;
}

/** As a JavaScript number, which is exact for every length and index. */
export function toNumber(value: unknown): number {
  return Number(toInt64(value));
}

export function toFloat64(value: unknown): number {
  const number = floatOf(value);
  if (number !== undefined) return number;
  const integral = castable(value);
  if (integral !== undefined) return Number(integral);
  if (typeof value === 'string') return parseFloatText(value) ?? 0;
  return value === true ? 1 : 0;
}
