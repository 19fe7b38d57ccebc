import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { isOfType, wantedTypes } from '../../kit/calls/wantedTypes.ts';
import { INTEGERS, isInteger, valueIn } from '../definition/integers.ts';
import { isTemplate } from '../definition/templates.ts';

const MAX_SHOWN = 80;

/** The value of an argument, with what whole templates printed as the types that the tool's schema wants. What the definition has
 *  written as text stays text. @param written the argument in the definition @param made the same, rendered
 *  @throws Error naming the argument, the value and the wanted types */
export function asWanted(written: unknown, made: unknown, schema: unknown, place: Place): unknown {
  const { path } = place;
  if (!isObject(schema)) return made;
  if (typeof written === 'string') return isTemplate(written) ? converted(made, schema, place) : made;
  if (Array.isArray(written) && Array.isArray(made)) {
    const { items } = schema;
    return made.map((one, at) => asWanted(written[at], one, items, { ...place, path: `${path}.${at}` }));
  }
  if (!isObject(written) || !isObject(made)) return made;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries<unknown>(
    Object.entries(made).map(([key, one]) => {
      const of = Object.hasOwn(properties, key) ? properties[key] : schema['additionalProperties'];
      return [key, asWanted(written[key], one, of, { ...place, path: path === '' ? key : `${path}.${key}` })];
    }),
  );
}

interface Place {
  readonly path: string;
  /** Masks the secrets in a value. */
  readonly mask: (value: unknown) => unknown;
}

function converted(value: unknown, schema: JsonObject, { path, mask }: Place): unknown {
  const types = wantedTypes(schema);
  if (types.length === 0 || types.some((type) => isOf(type, value))) return value;
  for (const type of types) {
    const read = typeof value === 'string' ? READ[type]?.(value.trim()) : printed(type, value);
    if (read !== undefined) return read;
  }
  const shown = (JSON.stringify(mask(value)) as string | undefined) ?? String(value);
  const text = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
  throw new Error(`argument '${path}' must be of type ${types.join(' or ')}, not ${text}`);
}

function isOf(type: string, value: unknown): boolean {
  return isOfType(type, isInteger(value) ? 0 : value);
}

const READ: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) => numberIn(text),
  integer: (text) => {
    const number = numberIn(text);
    if (Number.isSafeInteger(number)) return number;
    return /^-?[1-9]\d{15,79}$/.test(text) ? INTEGERS.of(text) : undefined;
  },
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  null: (text) => (text === 'null' || text === '' ? null : undefined),
  array: (text) => ofType('array', text.startsWith('[') ? valueIn(text) : undefined),
  object: (text) => ofType('object', text.startsWith('{') ? valueIn(text) : undefined),
};

function numberIn(text: string): number | undefined {
  const number = Number(text);
  return /^[-+]?[\d.]/.test(text) && Number.isFinite(number) ? number : undefined;
}

function ofType(type: 'array' | 'object', value: unknown): unknown {
  return isOf(type, value) ? value : undefined;
}

/** A number or boolean as text. */
function printed(type: string, value: unknown): string | undefined {
  if (type !== 'string') return undefined;
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : INTEGERS.digitsOf(value);
}
