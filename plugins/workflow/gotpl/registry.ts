import { BUILTINS } from './builtins.ts';
import { CallError } from './errors.ts';
import { CASE } from './funcs/case.ts';
import { DATES } from './funcs/dates.ts';
import { DEFAULTS } from './funcs/defaults.ts';
import { DICTS } from './funcs/dicts.ts';
import { ENCODING } from './funcs/encoding.ts';
import { JSON_FUNCTIONS } from './funcs/json.ts';
import { KEYS } from './funcs/keys.ts';
import { LISTS } from './funcs/lists.ts';
import { MATH } from './funcs/math.ts';
import { PATHS } from './funcs/paths.ts';
import { RANDOM } from './funcs/random.ts';
import { REGEX } from './funcs/regex.ts';
import { SEMVER } from './funcs/semver.ts';
import { STRINGS } from './funcs/strings.ts';
import { SYSTEM } from './funcs/system.ts';
import { URLS } from './funcs/url.ts';
import type { FuncTable, GoFunc } from './signature.ts';

const TABLES: readonly FuncTable[] = [
  BUILTINS,
  CASE,
  DATES,
  DEFAULTS,
  DICTS,
  ENCODING,
  JSON_FUNCTIONS,
  KEYS,
  LISTS,
  MATH,
  PATHS,
  RANDOM,
  REGEX,
  SEMVER,
  STRINGS,
  SYSTEM,
  URLS,
];

/** Functions that change their argument: a template that calls one works on a copy of the data. */
export const MUTATING: ReadonlySet<string> = new Set([
  'set',
  'unset',
  'merge',
  'mergeOverwrite',
  'mustMerge',
  'mustMergeOverwrite',
]);

/** Refused unless allowed by name: they use much CPU, generate keys, or read more than the data. */
export const DENIED_BY_DEFAULT: readonly string[] = [...Object.keys(KEYS), ...Object.keys(SYSTEM)];

const ALL = new Map<string, GoFunc>(TABLES.flatMap((table) => Object.entries(table)));
const DEFAULT = withDenied([]);

/** The names of all functions, those that are denied by default among them. */
export const FUNCTION_NAMES: readonly string[] = [...ALL.keys()];

/** All functions by name; those that are not allowed are replaced by one that throws a policy error. */
export function selectFunctions(allowed: readonly string[]): ReadonlyMap<string, GoFunc> {
  return allowed.length === 0 ? DEFAULT : withDenied(allowed);
}

function withDenied(allowed: readonly string[]): ReadonlyMap<string, GoFunc> {
  const functions = new Map(ALL);
  for (const name of DENIED_BY_DEFAULT) {
    const known = ALL.get(name);
    if (known && !allowed.includes(name)) functions.set(name, { ...known, run: refuse });
  }
  return functions;
}

function refuse(): never {
  throw new CallError('function disabled by policy', 'policy');
}
