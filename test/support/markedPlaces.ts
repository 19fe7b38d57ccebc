import type { JsonObject, JsonSchema } from '../../kernel/contracts/json.ts';
import { isObject } from '../../kernel/lib/json.ts';

/** A text that a schema marks as secret. */
export interface MarkedText {
  /** `*` is any key, `[]` any item. */
  readonly path: readonly string[];
  readonly schema: JsonSchema;
  /** Whether it is one of a list or map that is marked as a whole. */
  readonly isAmongOthers: boolean;
}

/** Every text that the schema marks, in all branches. */
export function markedTexts(schema: JsonSchema): readonly MarkedText[] {
  const definitions = (schema['$defs'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const walk = (part: unknown, path: readonly string[], isAmong: boolean): readonly MarkedText[] => {
    if (!isObject(part)) return [];
    const { $ref, type, writeOnly, properties, additionalProperties, items } = part;
    if (typeof $ref === 'string') return walk(definitions[$ref.split('/').at(-1) ?? ''], path, isAmong);
    const own: MarkedText = { path, schema: part, isAmongOthers: isAmong };
    const isWhole = writeOnly === true && ['array', 'object'].some((one) => [type].flat().includes(one));
    const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (part[key] ?? []) as readonly unknown[]);
    return [
      ...(writeOnly === true && [type].flat().includes('string') ? [own] : []),
      ...branches.flatMap((one) => walk(one, path, isAmong)),
      ...Object.entries(properties ?? {}).flatMap(([key, one]) =>
        walk(one, [...path, key], isAmong || isWhole),
      ),
      ...walk(additionalProperties, [...path, '*'], isAmong || isWhole),
      ...walk(items, [...path, '[]'], isAmong || isWhole),
    ];
  };
  return walk(schema, [], false);
}

/** A copy of `value` with `part` at the path: `*` becomes the key TOKEN, `[]` the next item of the list. */
export function withPart(value: unknown, [step, ...rest]: readonly string[], part: unknown): unknown {
  if (step === undefined) return part;
  if (step === '[]')
    return [...(Array.isArray(value) ? (value as unknown[]) : []), withPart(undefined, rest, part)];
  const own: JsonObject = isObject(value) ? value : {};
  const key = step === '*' ? 'TOKEN' : step;
  return { ...own, [key]: withPart(own[key], rest, part) };
}
