import { CallError } from '../errors.ts';
import { kindName, isTrue, typeName } from '../values.ts';
import { func, variadic } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { deepEqual } from './deepEqual.ts';

export const DEFAULTS: FuncTable = {
  default: variadic(['any'], 'any', (_env, given, fallback) => (isTrue(given[0]) ? given[0] : fallback)),
  empty: func(['any'], (_env, value) => !isTrue(value)),
  coalesce: variadic([], 'any', (_env, values) => values.find(isTrue) ?? null),
  all: variadic([], 'any', (_env, values) => values.every(isTrue)),
  any: variadic([], 'any', (_env, values) => values.some(isTrue)),
  ternary: func(['any', 'any', 'bool'], (_env, yes, no, choice) => (choice ? yes : no)),
  fail: func(['string'], (_env, message) => {
    throw new CallError(message);
  }),
  hello: func([], () => 'Hello!'),
  typeOf: func(['any'], (_env, value) => typeName(value)),
  typeIs: func(['string', 'any'], (_env, name, value) => name === typeName(value)),
  typeIsLike: func(['string', 'any'], (_env, name, value) => [name, `*${name}`].includes(typeName(value))),
  kindOf: func(['any'], (_env, value) => kindName(value)),
  kindIs: func(['string', 'any'], (_env, name, value) => name === kindName(value)),
  deepEqual: func(['any', 'any'], (env, a, b) => deepEqual(a, b, env)),
};
