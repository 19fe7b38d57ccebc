import type { Env } from '../env.ts';
import { GoTime } from '../goTime.ts';
import { getKey, hasKey } from '../maps.ts';
import { isDict, isNil, isTrue, itemsOf } from '../values.ts';
import type { Dict } from '../values.ts';

interface MergeSetup {
  readonly env: Env;
  readonly overwrite: boolean;
}

/** Merges maps as mergo does: the target keeps its values unless they are empty or `overwrite` is set. */
export function mergeInto(target: Dict, source: Dict, setup: MergeSetup, depth = 0): void {
  setup.env.checkDepth(depth);
  for (const key of Object.keys(source)) {
    setup.env.charge(1);
    const value = getKey(source, key);
    if (!isNil(value)) mergeKey(target, key, value, setup, depth);
    else if (setup.overwrite) target[key] = null;
  }
}

function mergeKey(target: Dict, key: string, value: unknown, setup: MergeSetup, depth: number): void {
  const had = hasKey(target, key);
  const known = had ? getKey(target, key) : undefined;
  if (isDict(value) && isDict(known)) mergeInto(known, value, setup, depth + 1);
  if (itemsOf(value) && setup.overwrite) target[key] = value;
  if (had && !isEmpty(known)) {
    if (itemsOf(value)) return;
    if (isDict(value) && isDict(known)) return;
    if (!setup.overwrite) return;
  }
  target[key] = value;
}

function isEmpty(value: unknown): boolean {
  return !(value instanceof GoTime) && !isTrue(value);
}
