import { textOfBytes } from './byteList.ts';
import { toBytes, toOutput } from './bytes.ts';
import type { Env } from './env.ts';
import { CallError } from './errors.ts';
import { formatShortest } from './formatFloat.ts';
import { GoTime, Location } from './goTime.ts';
import { getKey, isMap, sortedKeys } from './maps.ts';
import { Complex, floatOf, Int, integer, isNil, itemsOf, NamedInt, TypedList } from './values.ts';
import { Version } from './version.ts';

/** Converts a value to plain JSON data as Go's encoder would, integers that no number holds to Int. @throws CallError if JSON cannot represent it */
export function toPlain(value: unknown, env: Env, depth = 0): unknown {
  env.checkDepth(depth);
  env.charge(1);
  if (isNil(value)) return null;
  if (typeof value === 'string') return toOutput(value);
  if (typeof value === 'boolean') return value;
  const number = floatOf(value);
  if (number !== undefined) return finite(number);
  if (value instanceof Int) return plainInteger(value.value);
  if (value instanceof GoTime) return value.rfc3339();
  if (value instanceof NamedInt) return plainInteger(value.value);
  if (value instanceof Location) return {};
  if (value instanceof Version) return value.text();
  if (value instanceof Complex) throw new CallError('json: unsupported type: complex128');
  if (value instanceof TypedList && value.isNil) return null;
  const bytes = textOfBytes(value);
  if (bytes !== undefined) return toBytes(bytes).toString('base64');
  const items = itemsOf(value);
  if (items) return items.map((item) => toPlain(item, env, depth + 1));
  if (!isMap(value)) return null;
  return Object.fromEntries(
    sortedKeys(value).map((key) => [toOutput(key), toPlain(getKey(value, key), env, depth + 1)]),
  );
}

function plainInteger(value: bigint): number | Int {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : integer(String(value));
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new CallError(`json: unsupported value: ${formatShortest(value)}`);
}
