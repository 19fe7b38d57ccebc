import { fromBytes, toBytes } from './bytes.ts';
import type { Env } from './env.ts';
import { Int, TypedList } from './values.ts';

/** A text as Go's []byte. */
export function byteList(text: string, env: Env): TypedList {
  env.checkString(text.length);
  return new TypedList(
    'uint8',
    Array.from(toBytes(text), (byte) => new Int('uint8', BigInt(byte))),
  );
}

/** The text of a []byte; undefined for other values. */
export function textOfBytes(value: unknown): string | undefined {
  if (!(value instanceof TypedList) || value.elementType !== 'uint8') return undefined;
  return fromBytes(Uint8Array.from(value.items, (item) => (item instanceof Int ? Number(item.value) : 0)));
}
