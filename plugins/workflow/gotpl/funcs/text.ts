import { textOfBytes } from '../byteList.ts';
import type { Env } from '../env.ts';
import { formatValue } from '../format.ts';
import { isNil, itemsOf, strings, TypedList } from '../values.ts';

/** Converts any value to text as sprig does. */
export function textOf(value: unknown, env: Env): string {
  return typeof value === 'string' ? value : (textOfBytes(value) ?? formatValue(value, env));
}

/** Converts a value to texts as sprig does: nulls are dropped, a scalar is a list of one, a []string is kept. */
export function textsOf(value: unknown, env: Env): TypedList {
  if (value instanceof TypedList && value.elementType === 'string') return value;
  const items = itemsOf(value);
  if (items) {
    env.charge(items.length >> 4);
    return strings(items.filter((item) => !isNil(item)).map((item) => textOf(item, env)));
  }
  return isNil(value) ? strings([]) : strings([textOf(value, env)]);
}
