import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

const MAX_WORDS = 2_000;

/** What a shell offers for a tool's arguments, by its inputSchema: `--mode`, and `--mode fast` for each value that it lists. */
export function argumentWords({ properties }: JsonObject): readonly string[] {
  const words: string[] = [];
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (words.length >= MAX_WORDS) break;
    // A space would end the name where its values begin.
    if (/\s/.test(name)) continue;
    words.push(`--${name}`, ...valuesOf(property).map((value) => `--${name} ${value}`));
  }
  return words.slice(0, MAX_WORDS);
}

function valuesOf(property: unknown): readonly string[] {
  if (!isObject(property)) return [];
  const { type, enum: values, const: only } = property;
  if (Array.isArray(values)) return values.slice(0, MAX_WORDS).filter(isScalar).map(String);
  if (isScalar(only)) return [String(only)];
  return type === 'boolean' ? ['true', 'false'] : [];
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
