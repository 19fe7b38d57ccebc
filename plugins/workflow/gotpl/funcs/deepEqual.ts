import type { Env } from '../env.ts';
import { GoTime, Location } from '../goTime.ts';
import { getKey, hasKey, isMap, sortedKeys } from '../maps.ts';
import {
  Complex,
  floatOf,
  Int,
  isFlexible,
  isNil,
  itemsOf,
  NamedInt,
  TypedList,
  typeName,
} from '../values.ts';
import { Version } from '../version.ts';
import { UTC } from '../zones.ts';
import type { Zone } from '../zones.ts';

/** Go's reflect.DeepEqual: types must match, so 1 differs from 1.0; a flexible number equals both. */
export function deepEqual(a: unknown, b: unknown, env: Env, depth = 0): boolean {
  env.charge(1);
  env.checkDepth(depth);
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (isFlexible(a, env.lenient) && b instanceof Int) return b.value === BigInt(a);
  if (isFlexible(b, env.lenient) && a instanceof Int) return a.value === BigInt(b);
  if (typeName(a) !== typeName(b)) return false;
  const items = itemsOf(a);
  if (items) return equalLists(a, b, env, depth);
  if (isMap(a) && isMap(b)) {
    const keys = sortedKeys(a);
    if (keys.length !== sortedKeys(b).length) return false;
    return keys.every((key) => hasKey(b, key) && deepEqual(getKey(a, key), getKey(b, key), env, depth + 1));
  }
  return equalScalars(a, b);
}

function equalLists(a: unknown, b: unknown, env: Env, depth: number): boolean {
  const left = itemsOf(a) ?? [];
  const right = itemsOf(b) ?? [];
  const isNilList = (list: unknown): boolean => list instanceof TypedList && list.isNil;
  if (left.length !== right.length || isNilList(a) !== isNilList(b)) return false;
  return left.every((item, i) => deepEqual(item, right[i], env, depth + 1));
}

// Zones that were parsed are equal by what they hold; UTC and Local are one each.
function isSameZone(a: Zone, b: Zone): boolean {
  if (a === b) return true;
  const isParsed = (zone: Zone): boolean => zone !== UTC && zone.isLocal !== true;
  return isParsed(a) && isParsed(b) && a.name === b.name && a.at(0).offset === b.at(0).offset;
}

function equalScalars(a: unknown, b: unknown): boolean {
  const number = floatOf(a);
  if (number !== undefined) return number === floatOf(b);
  if (a instanceof Int && b instanceof Int) return a.value === b.value;
  if (a instanceof NamedInt && b instanceof NamedInt) return a.value === b.value;
  if (a instanceof GoTime && b instanceof GoTime) return a.equals(b) && isSameZone(a.zone, b.zone);
  if (a instanceof Location && b instanceof Location) return isSameZone(a.zone, b.zone);
  if (a instanceof Version && b instanceof Version) return a.fields.original === b.fields.original;
  if (a instanceof Complex && b instanceof Complex) return a.re === b.re && a.im === b.im;
  return a === b;
}

/** Keys under which equal scalars are stored; empty for values that must be compared one by one. */
interface ScalarKeys {
  readonly stored: readonly string[];
  readonly wanted: readonly string[];
}

function scalarKeys(value: unknown, env: Env): ScalarKeys | undefined {
  const same = (key: string): ScalarKeys => ({ stored: [key], wanted: [key] });
  if (typeof value === 'string') return same(`s${value}`);
  if (typeof value === 'boolean') return same(`b${value}`);
  if (isNil(value)) return same('n');
  if (isFlexible(value, env.lenient))
    return { stored: [`x${value}`], wanted: [`x${value}`, `f${value}`, `i${value}`] };
  const number = floatOf(value);
  if (number !== undefined && !Number.isNaN(number))
    return { stored: [`f${number}`], wanted: [`f${number}`, `x${number}`] };
  if (!(value instanceof Int)) return undefined;
  const typed = `${value.typeName}:${value.value}`;
  return { stored: [typed, `i${value.value}`], wanted: [typed, `x${value.value}`] };
}

/** A set of values under deepEqual, with constant cost for plain scalars. */
export class ValueSet {
  private readonly env: Env;
  private readonly scalars = new Set<string>();
  private readonly others: unknown[] = [];

  constructor(env: Env, values: readonly unknown[] = []) {
    this.env = env;
    for (const value of values) this.add(value);
  }

  add(value: unknown): void {
    const keys = scalarKeys(value, this.env);
    if (!keys) this.others.push(value);
    else for (const key of keys.stored) this.scalars.add(key);
  }

  has(value: unknown): boolean {
    const keys = scalarKeys(value, this.env);
    if (keys) return keys.wanted.some((key) => this.scalars.has(key));
    return this.others.some((other) => deepEqual(value, other, this.env));
  }
}
