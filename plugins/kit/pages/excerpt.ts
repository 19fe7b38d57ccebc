export const PAGE = 50;

/** A part of a long list. */
export interface Excerpt<T> {
  readonly total: number;
  /** Index of the first of `items`. */
  readonly from: number;
  readonly items: readonly T[];
}

/** The part of a list that `?from=` names; its end if that is beyond. */
export function excerpt<T>(all: readonly T[], query: URLSearchParams): Excerpt<T> {
  const last = Math.max(0, Math.ceil(all.length / PAGE) - 1) * PAGE;
  const from = Math.min(firstOf(query), last);
  return { total: all.length, from, items: all.slice(from, from + PAGE) };
}

/** The index that `?from=` names; 0 if it is not one. */
export function firstOf(query: URLSearchParams): number {
  const asked = Number(query.get('from') ?? 0);
  return Number.isSafeInteger(asked) && asked > 0 ? asked : 0;
}
