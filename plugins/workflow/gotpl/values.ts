// The value model. Plain data is used unchanged: null, boolean, string, number (float64 of JSON), array
// ([]interface {}), object (map[string]interface {}). `null` is a nil interface, `undefined` no value at all.

/** Base of every value that plain data cannot express. */
export abstract class Boxed {
  abstract readonly typeName: string;
  abstract readonly kindName: string;
}

export type IntKind = 'int' | 'int64' | 'uint8' | 'uint32' | 'uint64';

export class Int extends Boxed {
  readonly typeName: IntKind;
  readonly value: bigint;

  constructor(kind: IntKind, value: bigint) {
    super();
    this.typeName = kind;
    this.value = value;
  }

  get kindName(): string {
    return this.typeName;
  }

  /** A text, because JSON.stringify would round the number. */
  toJSON(): string {
    return String(this.value);
  }
}

/** A float64 made by a template; JSON numbers of the data are plain numbers. */
export class Float extends Boxed {
  readonly typeName = 'float64';
  readonly kindName = 'float64';
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }
}

export class Complex extends Boxed {
  readonly typeName = 'complex128';
  readonly kindName = 'complex128';
  readonly re: number;
  readonly im: number;

  constructor(re: number, im: number) {
    super();
    this.re = re;
    this.im = im;
  }
}

export type ElementType = 'string' | 'int' | 'uint8' | 'interface {}' | '[]interface {}';

/** A list whose element type is not interface {}, or a nil list. */
export class TypedList extends Boxed {
  readonly kindName = 'slice';
  readonly elementType: ElementType;
  readonly items: unknown[];
  readonly isNil: boolean;

  constructor(elementType: ElementType, items: unknown[], isNil = false) {
    super();
    this.elementType = elementType;
    this.items = items;
    this.isNil = isNil;
  }

  get typeName(): string {
    return `[]${this.elementType}`;
  }
}

/** map[string]string, the result of split and splitn. */
export class StringMap extends Boxed {
  readonly typeName = 'map[string]string';
  readonly kindName = 'map';
  readonly entries: ReadonlyMap<string, string>;

  constructor(entries: ReadonlyMap<string, string>) {
    super();
    this.entries = entries;
  }
}

/** A value with methods and its own text form. */
export abstract class Stringer extends Boxed {
  abstract text(): string;
  /** The form of %#v. */
  abstract goText(): string;
}

/** What a kind of named integer is called, and how it prints. */
export interface NamedType {
  readonly typeName: string;
  readonly kindName: 'int' | 'int64';
  readonly print: (value: bigint) => string;
}

/** A named integer such as time.Month, which prints its name. */
export class NamedInt extends Stringer {
  readonly type: NamedType;
  readonly value: bigint;

  constructor(type: NamedType, value: bigint) {
    super();
    this.type = type;
    this.value = value;
  }

  get typeName(): string {
    return this.type.typeName;
  }

  get kindName(): string {
    return this.type.kindName;
  }

  text(): string {
    return this.type.print(this.value);
  }

  goText(): string {
    return String(this.value);
  }
}

export type Dict = Record<string, unknown>;

export const int = (value: bigint | number): Int => new Int('int', BigInt(value));
export const int64 = (value: bigint): Int => new Int('int64', BigInt.asIntN(64, value));
/** The value of a decimal integer: a number if that holds it, else an Int. */
export function integer(digits: string): number | Int {
  const number = Number(digits);
  if (String(number) === digits) return number;
  const value = BigInt(digits);
  return new Int(BigInt.asIntN(64, value) === value ? 'int64' : 'uint64', value);
}
export const float = (value: number): Float => new Float(value);
export const strings = (items: string[]): TypedList => new TypedList('string', items);
export const nilList = (): TypedList => new TypedList('interface {}', [], true);

/** A dict without prototype: every key, `__proto__` included, is a plain key. */
export function newDict(): Dict {
  return Object.create(null) as Dict;
}

export function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Boxed);
}

export function isNil(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** The items of a list of any type, or undefined. */
export function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  return value instanceof TypedList ? value.items : undefined;
}

/** The number of a float64, or undefined. */
export function floatOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return value instanceof Float ? value.value : undefined;
}

/** The number of an integer, named or not, or undefined. */
export function integerOf(value: unknown): bigint | undefined {
  return value instanceof Int || value instanceof NamedInt ? value.value : undefined;
}

/** A whole number of the data, which in lenient mode works as int and as float64. Those that JavaScript writes with an exponent do not. */
export function isFlexible(value: unknown, lenient: boolean): value is number {
  if (!lenient || typeof value !== 'number' || !Number.isInteger(value)) return false;
  return Math.abs(value) < 1e21 && !Object.is(value, -0);
}

/** Go's name of the value's type, as %T prints it. */
export function typeName(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'object':
      if (value === null) return '<nil>';
      if (value instanceof Boxed) return value.typeName;
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
    default:
      return '<nil>';
  }
}

/** Go's name of the value's kind, as kindOf returns it. */
export function kindName(value: unknown): string {
  if (value instanceof Boxed) return value.kindName;
  if (isNil(value)) return 'invalid';
  if (Array.isArray(value)) return 'slice';
  return typeof value === 'object' ? 'map' : typeName(value);
}

/** Whether `if` treats the value as true: anything but zero, nil, and empty texts, lists and maps. */
export function isTrue(value: unknown): boolean {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0;
    case 'object':
      return value !== null && isTrueObject(value);
    default:
      return false;
  }
}

function isTrueObject(value: object): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!(value instanceof Boxed)) return !isEmptyObject(value);
  const integral = integerOf(value);
  if (integral !== undefined) return integral !== 0n;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof TypedList) return value.items.length > 0;
  if (value instanceof StringMap) return value.entries.size > 0;
  if (value instanceof Complex) return value.re !== 0 || value.im !== 0;
  return true;
}

function isEmptyObject(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}
