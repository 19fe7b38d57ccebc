/** The paths of all parts of a value. */
export function pathsIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) => [
    [key],
    ...pathsIn(part).map((path) => [key, ...path]),
  ]);
}
/** A copy with one part replaced. */
export function withPart(value: unknown, [key = '', ...rest]: readonly string[], to: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = rest.length === 0 ? to : withPart(copy[key], rest, to);
  return copy;
}
