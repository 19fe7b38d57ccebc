const PAGE = 50;

/** A part of a long list. */
export interface Excerpt<T> {
  readonly total: number;
  /** Index of the first of `items`. */
  readonly from: number;
  readonly items: readonly T[];
}

/** The part of a list that `?from=` names; its end if that is beyond. */
export function excerpt<T>(all: readonly T[], query: URLSearchParams): Excerpt<T> {
  const asked = Number(query.get('from') ?? 0);
  const last = Math.max(0, Math.ceil(all.length / PAGE) - 1) * PAGE;
  const from = Number.isInteger(asked) && asked > 0 ? Math.min(asked, last) : 0;
  return { total: all.length, from, items: all.slice(from, from + PAGE) };
}
