/** A change of one part of a JSON value. */
export interface Edit {
  readonly path: readonly (string | number)[];
  /** Absent: the part is removed. */
  readonly to?: unknown;
}

/** A copy of the value with parts replaced or removed; an edit of a part wins over edits below it.
 *  @param edits each of a part that the value has @param depth how many steps of their paths lead to the value */
export function edited(value: unknown, edits: readonly Edit[], depth = 0): unknown {
  const whole = edits.find(({ path }) => path.length === depth);
  if (whole !== undefined) return whole.to;
  const byKey = new Map<string, Edit[]>();
  for (const edit of edits) {
    const key = String(edit.path[depth]);
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [edit]);
    else others.push(edit);
  }
  const parts = Object.entries(value as object).flatMap(([key, part]: [string, unknown]) => {
    const own = byKey.get(key);
    const next = own === undefined ? part : edited(part, own, depth + 1);
    return next === undefined ? [] : [[key, next] as const];
  });
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}
