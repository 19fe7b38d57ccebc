import type { JsonObject } from '../../kernel/index.ts';

type Schema = JsonObject;
type Schemas = Readonly<Record<string, Schema>>;

/** Samples for patterns that no other sample fits. */
const TEXTS = [
  'a',
  'A1',
  '10s',
  '1h',
  'https://example.com',
  'https://example.com/a',
  'redis://a:1',
  '10.0.0.0/8',
  'x/*',
  'a@example.com',
  'env:A',
  'console',
  `sha256:${'0'.repeat(64)}`,
];

/** A value that the schema accepts, with every key that it knows. @throws Error that names a pattern without a sample */
export function sampleOf(schema: Schema, definitions: Schemas): unknown {
  const { $ref, anyOf, type, default: fallback, properties, additionalProperties: others, items } = schema;
  if (typeof $ref === 'string') return sampleOf(definitions[$ref.replace('#/$defs/', '')] ?? {}, definitions);
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0] as Schema, definitions);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'].at(-1);
  const types = [type].flat() as readonly unknown[];
  const kind = types.includes('object') ? 'object' : types[0];
  if (kind === 'object') {
    const own = Object.entries((properties ?? {}) as Schemas).map(
      ([key, value]) => [key, sampleOf(value, definitions)] as const,
    );
    const hasOthers = typeof others === 'object' && others !== null && own.length === 0;
    return hasOthers ? { a: sampleOf(others as Schema, definitions) } : Object.fromEntries(own);
  }
  if (kind === 'array') return items === undefined ? [] : [sampleOf(items as Schema, definitions)];
  if (kind === 'boolean') return true;
  if (kind === 'integer' || kind === 'number') return fallback ?? schema['minimum'] ?? 1;
  if (typeof fallback === 'string' && fallback !== '') return fallback;
  const pattern = schema['pattern'] as string | undefined;
  const minLength = Number(schema['minLength'] ?? 0);
  const found = TEXTS.find((text) => pattern === undefined || new RegExp(pattern).test(text));
  if (found === undefined) throw new Error(`no sample for the pattern ${pattern ?? ''}`);
  return found.padEnd(minLength, 'a');
}
