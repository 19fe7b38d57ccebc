import type { Env } from './env.ts';
import type { GoTime, Location } from './goTime.ts';
import type { Version } from './version.ts';
import type { Dict } from './values.ts';

/** The JavaScript value a function receives for each kind of parameter. A nil map or list is null. */
export interface ParamTypes {
  string: string;
  int: number;
  uint32: number;
  float64: number;
  bool: boolean;
  /** interface {}: nil is null. */
  any: unknown;
  /** reflect.Value: null is a nil interface, undefined no value at all. */
  value: unknown;
  map: Dict | null;
  list: readonly unknown[] | null;
  time: GoTime;
  /** time.Duration, in nanoseconds. */
  duration: bigint;
  /** *time.Location; nil is null. */
  location: Location | null;
  version: Version;
  certificate: never;
}

export type ParamKind = keyof ParamTypes;

type ArgsOf<P extends readonly ParamKind[]> = { -readonly [K in keyof P]: ParamTypes[P[K]] };

/** A template function with the signature its arguments are checked against, as Go's reflection does. */
export interface GoFunc {
  readonly params: readonly ParamKind[];
  /** Kind of the variadic arguments; undefined if the function is not variadic. */
  readonly rest: ParamKind | undefined;
  readonly run: (env: Env, args: readonly unknown[]) => unknown;
  /** Why Go lets no template call it, although its arguments fit. */
  readonly refusal?: string;
}

export type FuncTable = Readonly<Record<string, GoFunc>>;

export function func<const P extends readonly ParamKind[]>(
  params: P,
  run: (env: Env, ...args: ArgsOf<P>) => unknown,
): GoFunc {
  return { params, rest: undefined, run: spread(run as Spread, params.length) };
}

type Spread = (env: Env, ...args: readonly unknown[]) => unknown;

// Spreading an array costs more than most functions do.
function spread(run: Spread, count: number): GoFunc['run'] {
  if (count === 1) return (env, args) => run(env, args[0]);
  if (count === 2) return (env, args) => run(env, args[0], args[1]);
  if (count === 3) return (env, args) => run(env, args[0], args[1], args[2]);
  return (env, args) => run(env, ...args);
}

export function variadic<const P extends readonly ParamKind[], R extends ParamKind>(
  params: P,
  rest: R,
  run: (env: Env, rest: readonly ParamTypes[R][], ...args: ArgsOf<P>) => unknown,
): GoFunc {
  const fixed = params.length;
  const call = run as (env: Env, rest: readonly unknown[], ...args: readonly unknown[]) => unknown;
  if (fixed === 0) return { params, rest, run: (env, args) => call(env, args) };
  if (fixed === 1) return { params, rest, run: (env, args) => call(env, args.slice(1), args[0]) };
  return { params, rest, run: (env, args) => call(env, args.slice(fixed), ...args.slice(0, fixed)) };
}

const TYPE_NAMES: Readonly<Record<ParamKind, string>> = {
  string: 'string',
  int: 'int',
  uint32: 'uint32',
  float64: 'float64',
  bool: 'bool',
  any: 'interface {}',
  value: 'reflect.Value',
  map: 'map[string]interface {}',
  list: '[]interface {}',
  time: 'time.Time',
  duration: 'time.Duration',
  location: '*time.Location',
  version: '*semver.Version',
  certificate: 'sprig.certificate',
};

/** The parameter's type as Go's messages name it. */
export function paramTypeName(kind: ParamKind): string {
  return TYPE_NAMES[kind];
}

const NILABLE: ReadonlySet<ParamKind> = new Set(['any', 'value', 'map', 'list', 'version', 'location']);

export function canBeNil(kind: ParamKind): boolean {
  return NILABLE.has(kind);
}
