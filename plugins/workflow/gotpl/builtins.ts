import { byteLength, toBytes } from './bytes.ts';
import { equalsAny, isLess, isLessOrEqual } from './compare.ts';
import type { Env } from './env.ts';
import { CallError } from './errors.ts';
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts';
import { sprint, sprintln } from './format.ts';
import { getKey, isMap, mapLength } from './maps.ts';
import { sprintf } from './printf.ts';
import { func, variadic } from './signature.ts';
import type { FuncTable } from './signature.ts';
import { int, Int, integerOf, isFlexible, isNil, isTrue, itemsOf, StringMap, typeName } from './values.ts';

/** The functions of text/template itself. */
export const BUILTINS: FuncTable = {
  // The executor evaluates and, or, call itself; only their signatures count.
  and: variadic(['value'], 'value', () => undefined),
  or: variadic(['value'], 'value', () => undefined),
  call: variadic(['value'], 'value', () => undefined),
  not: func(['value'], (_env, value) => !isTrue(value)),
  len: func(['value'], (_env, value) => int(lengthOf(value))),
  index: variadic(['value'], 'value', (env, keys, item) => indexAll(item, keys, env)),
  print: variadic([], 'any', (env, args) => sprint(args, env)),
  println: variadic([], 'any', (env, args) => sprintln(args, env)),
  printf: variadic(['string'], 'any', (env, args, format) => sprintf(format, args, env)),
  html: variadic([], 'any', (env, args) => bounded(escapeHtml(printed(args, env)), env)),
  js: variadic([], 'any', (env, args) => bounded(escapeJs(printed(args, env)), env)),
  urlquery: variadic([], 'any', (env, args) => bounded(escapeQuery(printed(args, env)), env)),
  eq: variadic(['value'], 'value', (env, others, first) => equalsAny(first, others, env)),
  ne: func(['value', 'value'], (env, a, b) => !equalsAny(a, [b], env)),
  lt: func(['value', 'value'], (env, a, b) => isLess(a, b, env)),
  le: func(['value', 'value'], (env, a, b) => isLessOrEqual(a, b, env)),
  gt: func(['value', 'value'], (env, a, b) => !isLessOrEqual(a, b, env)),
  ge: func(['value', 'value'], (env, a, b) => !isLess(a, b, env)),
};

function bounded(text: string, env: Env): string {
  env.checkString(text.length);
  return text;
}

function printed(args: readonly unknown[], env: Env): string {
  const [only] = args;
  if (args.length === 1 && typeof only === 'string') return only;
  return sprint(
    args.map((arg) => (isNil(arg) ? '<no value>' : arg)),
    env,
  );
}

function lengthOf(value: unknown): number {
  if (value === undefined) throw new CallError('reflect: call of reflect.Value.Type on zero Value');
  if (value === null) throw new CallError('len of nil pointer');
  if (typeof value === 'string') return byteLength(value);
  const items = itemsOf(value);
  if (items) return items.length;
  if (isMap(value)) return mapLength(value);
  throw new CallError(`len of type ${typeName(value)}`);
}

function indexAll(item: unknown, keys: readonly unknown[], env: Env): unknown {
  if (isNil(item)) throw new CallError('index of untyped nil');
  let value: unknown = item;
  for (const key of keys) {
    if (isNil(value)) throw new CallError('index of nil pointer');
    value = indexOne(value, key, env);
  }
  return value;
}

function indexOne(item: unknown, key: unknown, env: Env): unknown {
  if (typeof item === 'string') {
    const bytes = toBytes(item);
    const at = indexArgument(key, bytes.length, env);
    const byte = bytes[at];
    if (byte === undefined) throw new CallError('reflect: string index out of range');
    return new Int('uint8', BigInt(byte));
  }
  const items = itemsOf(item);
  if (items) {
    const at = indexArgument(key, items.length, env);
    if (at === items.length) throw new CallError('reflect: slice index out of range');
    return items[at] ?? null;
  }
  if (!isMap(item)) throw new CallError(`can't index item of type ${typeName(item)}`);
  if (isNil(key)) throw new CallError('value is nil; should be of type string');
  if (typeof key !== 'string') throw new CallError(`value has type ${typeName(key)}; should be string`);
  return getKey(item, key) ?? (item instanceof StringMap ? '' : null);
}

function indexArgument(key: unknown, length: number, env: Env): number {
  if (isNil(key)) throw new CallError('cannot index slice/array with nil');
  const index = isFlexible(key, env.lenient) ? BigInt(key) : integerOf(key);
  if (index === undefined) throw new CallError(`cannot index slice/array with type ${typeName(key)}`);
  if (index < 0n || index > BigInt(length)) throw new CallError(`index out of range: ${index}`);
  return Number(index);
}

/** The builtin `call`: it always fails, because JSON data holds no functions. */
export function callValue(name: string, args: readonly unknown[]): never {
  const [callee] = args;
  if (isNil(callee)) throw new CallError('call of nil');
  throw new CallError(`non-function ${name} of type ${typeName(callee)}`);
}
