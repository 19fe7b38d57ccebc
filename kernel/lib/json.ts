/** An object in JSON's sense: no list, not null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The way to the first part of a value that stands more than `levels` deep; undefined when none does. */
export function pathBelow(value: unknown, levels: number): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return [];
  for (const [key, part] of Object.entries(value)) {
    const below = pathBelow(part, levels - 1);
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}

/** JSON.parse reads what is nested deeper than JSON.stringify goes. @returns undefined for such values */
export function jsonText(value: unknown, indent = 0): string | undefined {
  try {
    return JSON.stringify(value ?? null, null, indent);
  } catch {
    return undefined;
  }
}

/** JSON without spaces, keys sorted: values that are equal have one text. @throws RangeError for what is nested too deeply */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
