import { isObject } from 'pegboard';
import { isWebAddress } from '../text/isWebAddress.ts';

/** Keys and indexes below `spec`. */
export type Path = readonly (string | number)[];

/** What is at a place of a definition; undefined if there is nothing. */
export function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)] as unknown;
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, tree);
}

/** Whether what is at that place would be sent to an address beside it that is not there now: a client secret beside its issuer. */
export function isMovedBeside(path: Path, next: unknown, stored: unknown): boolean {
  const around = path.slice(0, -1);
  const known = addressesIn(valueAt(stored, around));
  return addressesIn(valueAt(next, around)).some((address) => !known.includes(address));
}

function addressesIn(value: unknown): readonly unknown[] {
  return Object.values(isObject(value) ? value : {}).filter(
    (text) => typeof text === 'string' && isWebAddress(text),
  );
}
