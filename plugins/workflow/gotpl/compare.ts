import { compareStrings } from './bytes.ts';
import type { Env } from './env.ts';
import { CallError } from './errors.ts';
import { GoTime, Location } from './goTime.ts';
import { sprintf } from './printf.ts';
import {
  Complex,
  floatOf,
  Int,
  integerOf,
  isFlexible,
  isNil,
  kindName,
  TypedList,
  typeName,
} from './values.ts';

type BasicKind = 'bool' | 'complex' | 'int' | 'uint' | 'float' | 'string' | 'other';

const BAD_TYPE = 'invalid type for comparison';

function basicKind(value: unknown): BasicKind {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (floatOf(value) !== undefined) return 'float';
  if (integerOf(value) !== undefined) return kindName(value).startsWith('u') ? 'uint' : 'int';
  return value instanceof Complex ? 'complex' : 'other';
}

function incompatible(a: unknown, b: unknown): CallError {
  return new CallError(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
}

// A flexible number that is compared with an integer is converted to an integer.
function meet(a: unknown, b: unknown, env: Env): [a: unknown, b: unknown] {
  if (isFlexible(a, env.lenient) && integerOf(b) !== undefined) return [new Int('int', BigInt(a)), b];
  if (isFlexible(b, env.lenient) && integerOf(a) !== undefined) return [a, new Int('int', BigInt(b))];
  return [a, b];
}

/** Go's eq: whether the first equals any of the others. */
export function equalsAny(first: unknown, others: readonly unknown[], env: Env): boolean {
  if (others.length === 0) throw new CallError('missing argument for comparison');
  return others.some((other) => equals(first, other, env));
}

function equals(x: unknown, y: unknown, env: Env): boolean {
  const [a, b] = meet(x, y, env);
  const kind = basicKind(a);
  const otherKind = basicKind(b);
  const left = integerOf(a);
  const right = integerOf(b);
  if (left !== undefined && right !== undefined) return left === right;
  if (kind !== otherKind) {
    if (!isNil(a) && !isNil(b)) throw incompatible(a, b);
    return false;
  }
  if (kind === 'float') return floatOf(a) === floatOf(b);
  if (a instanceof Complex && b instanceof Complex) return a.re === b.re && a.im === b.im;
  return kind === 'other' ? equalsOther(a, b, env) : a === b;
}

function isNilValue(value: unknown): boolean {
  return isNil(value) || (value instanceof TypedList && value.isNil);
}

function equalsOther(a: unknown, b: unknown, env: Env): boolean {
  if (!isNil(a) && !isNil(b) && kindName(a) !== kindName(b)) {
    const args = [a, typeName(a), typeName(b), b];
    throw new CallError(sprintf('non-comparable types %s: %v, %s: %v', args, env));
  }
  if (isNilValue(a) || isNilValue(b)) return isNilValue(a) === isNilValue(b);
  const kind = kindName(b);
  if (kind === 'slice' || kind === 'map') {
    throw new CallError(sprintf('non-comparable type %s: %v', [b, typeName(b)], env));
  }
  if (a instanceof GoTime && b instanceof GoTime) return a.equals(b) && a.zone === b.zone;
  if (a instanceof Location && b instanceof Location) return a.zone === b.zone;
  return a === b;
}

/** Go's lt. */
export function isLess(x: unknown, y: unknown, env: Env): boolean {
  const [a, b] = meet(x, y, env);
  const kind = basicKind(a);
  const otherKind = basicKind(b);
  if (kind === 'other' || otherKind === 'other') throw new CallError(BAD_TYPE);
  const integers = [integerOf(a), integerOf(b)] as const;
  if (integers[0] !== undefined && integers[1] !== undefined) return integers[0] < integers[1];
  if (kind !== otherKind) throw incompatible(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b) < 0;
  const left = floatOf(a);
  const right = floatOf(b);
  if (left !== undefined && right !== undefined) return left < right;
  throw new CallError(BAD_TYPE);
}

export function isLessOrEqual(a: unknown, b: unknown, env: Env): boolean {
  return isLess(a, b, env) || equals(a, b, env);
}
