import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { formatValue } from '../format.ts';
import { MAX_INT64, MIN_INT64, parseIntText } from '../numbers.ts';
import { func, variadic } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { float, Float, int, int64, Int, TypedList } from '../values.ts';
import { toFloat64, toInt64 } from './cast.ts';
import {
  addDecimals,
  decimalOf,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
  toFloat,
} from './decimal.ts';
import type { Decimal } from './decimal.ts';

const biggest = variadic(['any'], 'any', (_env, rest, first) => pickInt([first, ...rest], (a, b) => b > a));

export const MATH: FuncTable = {
  int: func(['any'], (_env, value) => int(toInt64(value))),
  int64: func(['any'], (_env, value) => int64(toInt64(value))),
  float64: func(['any'], (_env, value) => float(toFloat64(value))),
  atoi: func(['string'], (_env, text) => int(parseIntText(text, 10, 64) ?? nearestInt(text))),
  toDecimal: func(['any'], (env, value) => int64(parseIntText(formatValue(value, env), 8, 64) ?? 0n)),
  add1: func(['any'], (_env, value) => int64(toInt64(value) + 1n)),
  add: variadic([], 'any', (_env, values) =>
    int64(values.reduce<bigint>((sum, value) => sum + toInt64(value), 0n)),
  ),
  sub: func(['any', 'any'], (_env, a, b) => int64(toInt64(a) - toInt64(b))),
  mul: variadic(['any'], 'any', (_env, rest, first) => multiplyAll(first, rest)),
  div: func(['any', 'any'], (_env, a, b) => int64(toInt64(a) / divisor(b))),
  mod: func(['any', 'any'], (_env, a, b) => int64(toInt64(a) % divisor(b))),
  biggest,
  max: biggest,
  min: variadic(['any'], 'any', (_env, rest, first) => pickInt([first, ...rest], (a, b) => b < a)),
  maxf: variadic(['any'], 'any', (_env, rest, first) => float(Math.max(...[first, ...rest].map(toFloat64)))),
  minf: variadic(['any'], 'any', (_env, rest, first) => float(Math.min(...[first, ...rest].map(toFloat64)))),
  floor: func(['any'], (_env, value) => float(Math.floor(toFloat64(value)))),
  ceil: func(['any'], (_env, value) => float(Math.ceil(toFloat64(value)))),
  round: variadic(['any', 'int'], 'float64', (_env, [on = 0.5], value, places) =>
    round(toFloat64(value), places, on),
  ),
  add1f: func(['any'], (_env, value) => decimals([value, float(1)], addDecimals)),
  addf: variadic([], 'any', (_env, values) => decimals([float(0), ...values], addDecimals)),
  subf: variadic(['any'], 'any', (_env, rest, first) => decimals([first, ...rest], subtractDecimals)),
  mulf: variadic(['any'], 'any', (_env, rest, first) => decimals([first, ...rest], multiplyDecimals)),
  divf: variadic(['any'], 'any', (_env, rest, first) => decimals([first, ...rest], divideDecimals)),
  until: func(['int'], (env, count) => ints(env, countUp(env, 0, count, count < 0 ? -1 : 1))),
  untilStep: func(['int', 'int', 'int'], (env, start, stop, step) =>
    ints(env, countUp(env, start, stop, step)),
  ),
  seq: variadic([], 'int', (env, params) => sequence(env, params)),
};

// A number too large for 64 bits becomes the nearest one that fits, any other invalid text 0.
function nearestInt(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) return 0n;
  return text.startsWith('-') ? MIN_INT64 : MAX_INT64;
}

function divisor(value: unknown): bigint {
  const number = toInt64(value);
  if (number === 0n) throw new CallError('runtime error: integer divide by zero');
  return number;
}

function multiplyAll(first: unknown, rest: readonly unknown[]): Int {
  return int64(
    rest.reduce<bigint>((product, value) => BigInt.asIntN(64, product * toInt64(value)), toInt64(first)),
  );
}

function pickInt(values: readonly unknown[], isBetter: (best: bigint, next: bigint) => boolean): Int {
  const [first = 0n, ...rest] = values.map(toInt64);
  return int64(rest.reduce((best, next) => (isBetter(best, next) ? next : best), first));
}

function decimals(values: readonly unknown[], combine: (a: Decimal, b: Decimal) => Decimal): Float {
  const [first = { coefficient: 0n, exponent: 0 }, ...rest] = values.map((value) =>
    decimalOf(toFloat64(value)),
  );
  return float(toFloat(rest.reduce(combine, first)));
}

function round(value: number, places: number, roundOn: number): Float {
  const scale = 10 ** places;
  const digit = scale * value;
  const fraction = digit - Math.trunc(digit);
  return float((fraction >= roundOn ? Math.ceil(digit) : Math.floor(digit)) / scale);
}

function countUp(env: Env, start: number, stop: number, step: number): number[] {
  if (stop < start ? step >= 0 : step <= 0) return [];
  const count = Math.ceil((stop - start) / step);
  env.checkList(count);
  return Array.from({ length: count }, (_item, i) => start + i * step);
}

function ints(env: Env, numbers: readonly number[]): TypedList {
  env.charge(numbers.length >> 4);
  return new TypedList(
    'int',
    numbers.map((number) => int(number)),
  );
}

function sequence(env: Env, params: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = params;
  switch (params.length) {
    case 1:
      return count(env, 1, first, first < 1 ? -1 : 1);
    case 2:
      return count(env, first, second, second < first ? -1 : 1);
    case 3:
      return third < first && second > 0 ? '' : count(env, first, third, second);
    default:
      return '';
  }
}

// The sequence includes the end for every step.
function count(env: Env, start: number, end: number, step: number): string {
  return countUp(env, start, end + (end < start ? -1 : 1), step).join(' ');
}
