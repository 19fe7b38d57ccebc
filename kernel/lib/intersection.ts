import type { Toolset } from '../contracts/request.ts';

/** Holds what both hold. What a client declared comes first: that is what it is shown. */
export function intersection(one: Toolset | undefined, other: Toolset | undefined): Toolset | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [first, second] = rankOf(one) <= rankOf(other) ? [one, other] : [other, one];
  return { ...first, within: intersection(first.within, second) ?? second };
}

function rankOf({ declaredBy }: Toolset): number {
  if (declaredBy === undefined) return 2;
  return declaredBy === 'header' ? 0 : 1;
}
