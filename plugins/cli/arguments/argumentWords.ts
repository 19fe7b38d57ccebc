import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { inlined } from './inlined.ts';

const MAX_WORDS = 2_000;

/** What a shell offers for a tool's arguments, by its inputSchema: `--mode`, and `--mode fast` for each value that it lists. */
export function argumentWords(schema: JsonObject): readonly string[] {
  const { properties } = schema;
  const words: string[] = [];
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (words.length >= MAX_WORDS) break;
    // A space would end the name where its values begin.
    if (/\s/.test(name)) continue;
    words.push(`--${name}`, ...valuesOf(property, schema).map((value) => `--${name} ${value}`));
  }
  return words.slice(0, MAX_WORDS);
}

function valuesOf(property: unknown, root: JsonObject): readonly string[] {
  return isObject(property) ? [...new Set(listed(inlined(property, root)))].slice(0, MAX_WORDS) : [];
}

function listed({ type, enum: values, const: only, anyOf, oneOf }: JsonObject): readonly string[] {
  if (Array.isArray(values)) return values.slice(0, MAX_WORDS).filter(isScalar).map(String);
  if (isScalar(only)) return [String(only)];
  if (type === 'boolean') return ['true', 'false'];
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return branches.flatMap((branch) => (isObject(branch) ? listed(branch) : []));
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
