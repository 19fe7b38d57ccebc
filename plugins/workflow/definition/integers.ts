import { Int, integer } from '@pegboard/gotpl';
import { jsonText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { exactJson, exactValue } from '../../kit/calls/exactNumbers.ts';
import type { Integers } from '../../kit/calls/exactNumbers.ts';

/** The integers of a run that JavaScript's numbers cannot hold, as templates know them. */
export const INTEGERS: Integers = {
  of: integer,
  digitsOf: (value) => (value instanceof Int ? String(value.value) : undefined),
};

export function isInteger(value: unknown): value is Int {
  return value instanceof Int;
}

/** What a JSON text says; undefined if the text is not JSON. */
export function valueIn(text: string): unknown {
  try {
    return exactValue(text, INTEGERS);
  } catch {
    return undefined;
  }
}

const DIGITS = /"-?\d{16,}"/;

/** The JSON text of a value; undefined if it is nested too deeply. */
export function textOf(value: JsonObject): string | undefined {
  const text = jsonText(value);
  return text !== undefined && DIGITS.test(text) ? exactJson(value, INTEGERS) : text;
}
