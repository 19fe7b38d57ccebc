import type { JsonObject } from 'pegboard';
import { wantedTypes } from '../../kit/calls/wantedTypes.ts';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import { Failure } from '../failure.ts';

const SWITCHES: Readonly<Record<string, boolean>> = { true: true, false: false, yes: true, no: false };

/** The value that a text represents, by the JSON Schema of its argument. @throws Failure naming the argument */
export function typed(text: string, name: string, schema: JsonObject): unknown {
  const types = wantedTypes(schema);
  if (types.length === 0) return guessed(text);
  for (const type of types) {
    const value = READERS[type]?.(text, schema);
    if (value !== undefined) return checked(value, name, schema);
  }
  throw new Failure(
    `--${name} must be of type ${types.join(' or ')}, not ${JSON.stringify(text.slice(0, 60))}`,
  );
}

const READERS: Readonly<Record<string, (text: string, schema: JsonObject) => unknown>> = {
  string: (text) => text,
  number: (text) => (text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text)),
  integer: (text) => (/^[+-]?\d+$/.test(text.trim()) ? Number(text) : undefined),
  boolean: (text) => SWITCHES[text.toLowerCase()],
  null: (text) => (text === 'null' ? null : undefined),
  object: (text) => parsed(text, '{'),
  array: (text, schema) => parsed(text, '[') ?? itemsOf(text, schema),
};

/** `a,b,c`, or one item: lists of text and numbers need no JSON. */
function itemsOf(text: string, { items }: JsonObject): unknown {
  const item = (typeof items === 'object' && items !== null ? items : {}) as JsonObject;
  const isPlain = wantedTypes(item).every((type) =>
    ['string', 'number', 'integer', 'boolean'].includes(type),
  );
  return isPlain ? text.split(',').map((part) => typed(part, 'items', item)) : undefined;
}

function parsed(text: string, begin: '{' | '['): unknown {
  return text.trimStart().startsWith(begin) ? jsonIn(text) : undefined;
}

function guessed(text: string): unknown {
  if (!/^([[{"]|-?\d|true$|false$|null$)/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function checked(value: unknown, name: string, { enum: values }: JsonObject): unknown {
  if (!Array.isArray(values) || values.includes(value)) return value;
  throw new Failure(`--${name} must be one of ${values.join(', ')}, not ${String(value).slice(0, 60)}`);
}
