import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { getKey, hasKey, sortedKeys } from '../maps.ts';
import { func, variadic } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { isDict, isNil, itemsOf, newDict, strings, TypedList, typeName } from '../values.ts';
import type { Dict } from '../values.ts';
import { mergeInto } from './merge.ts';
import { textOf } from './text.ts';

const merge = mergeFunction(false);
const mergeOverwrite = mergeFunction(true);
const deepCopy = func(['any'], (env, value) => {
  if (isNil(value)) throw new CallError('reflect: call of reflect.Value.Type on zero Value');
  return deepCopyOf(value, env);
});

export const DICTS: FuncTable = {
  dict: variadic([], 'any', (env, args) => makeDict(args, env)),
  get: func(['map', 'string'], (_env, dict, key) => (dict && hasKey(dict, key) ? getKey(dict, key) : '')),
  set: func(['map', 'string', 'any'], (_env, dict, key, value) => setKey(dict, key, value)),
  unset: func(['map', 'string'], (_env, dict, key) => {
    if (dict) Reflect.deleteProperty(dict, key);
    return dict ?? newDict();
  }),
  hasKey: func(['map', 'string'], (_env, dict, key) => dict !== null && hasKey(dict, key)),
  keys: variadic([], 'map', (_env, dicts) =>
    strings(dicts.flatMap((dict) => (dict ? sortedKeys(dict) : []))),
  ),
  values: func(['map'], (_env, dict) => (dict ? sortedKeys(dict).map((key) => getKey(dict, key)) : [])),
  pluck: variadic(['string'], 'map', (_env, dicts, key) =>
    dicts.flatMap((dict) => (dict && hasKey(dict, key) ? [getKey(dict, key)] : [])),
  ),
  pick: variadic(['map'], 'string', (_env, wanted, dict) => filterKeys(dict, (key) => wanted.includes(key))),
  omit: variadic(['map'], 'string', (_env, unwanted, dict) =>
    filterKeys(dict, (key) => !unwanted.includes(key)),
  ),
  dig: variadic([], 'any', (_env, args) => dig(args)),
  merge,
  mustMerge: merge,
  mergeOverwrite,
  mustMergeOverwrite: mergeOverwrite,
  deepCopy,
  mustDeepCopy: deepCopy,
};

function makeDict(args: readonly unknown[], env: Env): Dict {
  const dict = newDict();
  for (let i = 0; i < args.length; i += 2)
    dict[textOf(args[i], env)] = i + 1 < args.length ? args[i + 1] : '';
  return dict;
}

function setKey(dict: Dict | null, key: string, value: unknown): Dict {
  if (!dict) throw new CallError('assignment to entry in nil map');
  dict[key] = value;
  return dict;
}

function filterKeys(dict: Dict | null, isWanted: (key: string) => boolean): Dict {
  const result = newDict();
  if (!dict) return result;
  for (const key of Object.keys(dict)) if (isWanted(key)) result[key] = dict[key];
  return result;
}

function mergeFunction(overwrite: boolean) {
  return variadic(['map'], 'map', (env, sources, target) => {
    const merged = target ?? newDict();
    for (const source of sources) if (source) mergeInto(merged, source, { env, overwrite });
    return merged;
  });
}

function dig(args: readonly unknown[]): unknown {
  if (args.length < 3) throw new CallError('dig needs at least three arguments');
  const fallback = args.at(-2);
  let value: unknown = asMap(args.at(-1));
  const keys = args.slice(0, -2).map(asString);
  for (const key of keys) {
    const map = asMap(value);
    if (!hasKey(map, key)) return fallback;
    value = getKey(map, key);
  }
  return value;
}

function asMap(value: unknown): Dict {
  if (isDict(value)) return value;
  throw badConversion(value, 'map[string]interface {}');
}

function asString(value: unknown): string {
  if (typeof value === 'string') return value;
  throw badConversion(value, 'string');
}

function badConversion(value: unknown, wanted: string): CallError {
  const found = isNil(value) ? 'nil' : typeName(value);
  return new CallError(`interface conversion: interface {} is ${found}, not ${wanted}`);
}

function deepCopyOf(value: unknown, env: Env, depth = 0): unknown {
  env.checkDepth(depth);
  if (value instanceof TypedList) {
    const items = value.items.map((item) => deepCopyOf(item, env, depth + 1));
    return new TypedList(value.elementType, items, value.isNil);
  }
  const items = itemsOf(value);
  if (items) return items.map((item) => deepCopyOf(item, env, depth + 1));
  env.charge(1);
  if (!isDict(value)) return value;
  const copy = newDict();
  for (const key of Object.keys(value)) copy[key] = deepCopyOf(value[key], env, depth + 1);
  return copy;
}
