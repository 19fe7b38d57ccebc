import { compareStrings } from '../bytes.ts';
import type { Env } from '../env.ts';
import { CallError, NIL_DEREFERENCE } from '../errors.ts';
import { func, variadic } from '../signature.ts';
import type { FuncTable, GoFunc } from '../signature.ts';
import { isNil, isTrue, itemsOf, kindName, nilList, strings, TypedList } from '../values.ts';
import { toNumber } from './cast.ts';
import { ValueSet } from './deepEqual.ts';
import { textOf, textsOf } from './text.ts';

/** The items of a list argument. @throws CallError with Go's text for the operation */
function listOf(value: unknown, env: Env, problem: string): readonly unknown[] {
  if (isNil(value)) throw new CallError(NIL_DEREFERENCE);
  const items = itemsOf(value);
  if (!items) throw new CallError(`${problem} ${kindName(value)}`);
  env.charge(items.length >> 6);
  return items;
}

const find = (name: string) => `Cannot find ${name} on type`;

const first = func(['any'], (env, list) => listOf(list, env, find('first'))[0] ?? null);
const last = func(['any'], (env, list) => listOf(list, env, find('last')).at(-1) ?? null);
const rest = func(['any'], (env, list) =>
  nilIfEmpty(listOf(list, env, find('rest')), (items) => items.slice(1)),
);
const initial = func(['any'], (env, list) =>
  nilIfEmpty(listOf(list, env, find('initial')), (items) => items.slice(0, -1)),
);
const reverse = func(['any'], (env, list) => [...listOf(list, env, find('reverse'))].reverse());
const compact = func(['any'], (env, list) => listOf(list, env, 'Cannot compact on type').filter(isTrue));
const uniq = func(['any'], (env, list) => unique(listOf(list, env, find('uniq')), env));
const push = func(['any', 'any'], (env, list, value) =>
  grown(env, [...listOf(list, env, 'Cannot push on type'), value]),
);
const prepend = func(['any', 'any'], (env, list, value) =>
  grown(env, [value, ...listOf(list, env, 'Cannot prepend on type')]),
);
const without = variadic(['any'], 'any', (env, omitted, list) => {
  const items = listOf(list, env, find('without'));
  const set = new ValueSet(env, omitted);
  return items.filter((item) => !set.has(item));
});
const has = func(['any', 'any'], (env, needle, list) => {
  if (isNil(list)) return false;
  const items = listOf(list, env, find('has'));
  const set = new ValueSet(env, [needle]);
  return items.some((item) => set.has(item));
});
const slice = variadic(['any'], 'any', (env, indices, list) => sliceList(list, indices, env));
const chunk = func(['int', 'any'], (env, size, list) =>
  chunkList(size, listOf(list, env, 'Cannot chunk type'), env),
);
const list: GoFunc = variadic([], 'any', (_env, items) => [...items]);

export const LISTS: FuncTable = {
  list,
  tuple: list,
  first,
  mustFirst: first,
  last,
  mustLast: last,
  rest,
  mustRest: rest,
  initial,
  mustInitial: initial,
  reverse,
  mustReverse: reverse,
  compact,
  mustCompact: compact,
  uniq,
  mustUniq: uniq,
  append: push,
  mustAppend: push,
  push,
  mustPush: push,
  prepend,
  mustPrepend: prepend,
  without,
  mustWithout: without,
  has,
  mustHas: has,
  slice,
  mustSlice: slice,
  chunk,
  mustChunk: chunk,
  concat: variadic([], 'any', (env, lists) => concat(lists, env)),
  sortAlpha: func(['any'], (env, value) => sortAlpha(value, env)),
  toStrings: func(['any'], (env, value) => textsOf(value, env)),
};

function nilIfEmpty(items: readonly unknown[], take: (items: readonly unknown[]) => unknown): unknown {
  return items.length === 0 ? nilList() : take(items);
}

function grown(env: Env, items: unknown[]): unknown[] {
  env.checkList(items.length);
  return items;
}

function unique(items: readonly unknown[], env: Env): unknown[] {
  const seen = new ValueSet(env);
  return items.filter((item) => {
    env.chargeReading(item);
    if (seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

// Go may read into spare capacity here; this port fails with Go's error for reading past the capacity.
function sliceList(value: unknown, indices: readonly unknown[], env: Env): unknown {
  const items = listOf(value, env, 'list should be type of slice or array but');
  if (items.length === 0) return null;
  const start = indices.length > 0 ? toNumber(indices[0]) : 0;
  const end = indices.length > 1 ? toNumber(indices[1]) : items.length;
  if (start < 0 || end > items.length || start > end) {
    throw new CallError('reflect.Value.Slice: slice index out of bounds');
  }
  const part = items.slice(start, end);
  return value instanceof TypedList ? new TypedList(value.elementType, part) : part;
}

function chunkList(size: number, items: readonly unknown[], env: Env): TypedList {
  const count = Math.floor((items.length - 1) / size) + 1;
  if (!(count >= 0 && Number.isFinite(count)))
    throw new CallError('runtime error: makeslice: len out of range');
  const chunks: unknown[] = [];
  for (let i = 0; i < count; i++) {
    env.charge(1);
    chunks.push(items.slice(i * size, (i + 1) * size));
  }
  return new TypedList('[]interface {}', chunks);
}

function concat(lists: readonly unknown[], env: Env): unknown {
  const all: unknown[] = [];
  for (const value of lists) {
    if (isNil(value)) throw new CallError(NIL_DEREFERENCE);
    const items = itemsOf(value);
    if (!items) throw new CallError(`Cannot concat type ${kindName(value)} as list`);
    env.checkList(all.length + items.length);
    for (const item of items) all.push(item);
  }
  return all.length === 0 ? nilList() : all;
}

// A []string is sorted in place, as in Go; any other list is copied.
function sortAlpha(value: unknown, env: Env): TypedList {
  if (value instanceof TypedList && value.elementType === 'string') {
    (value.items as string[]).sort(compareStrings);
    return value;
  }
  if (!itemsOf(value)) return strings([textOf(value, env)]);
  const texts = textsOf(value, env);
  (texts.items as string[]).sort(compareStrings);
  return texts;
}
