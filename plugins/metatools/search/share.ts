import type { Slot } from './slotsOf.ts';
import type { Visible } from './visible.ts';

const WEAK_IMPORTANCE = 0.3;

/** How much of a query's meaning a slot carries, by its rarity; an unknown word counts as the rarest. */
export function importanceOf({ term, weight }: Slot, visible: Visible): number {
  const rarity = visible.has(term) ? visible.idf(term) : visible.rarest;
  return weight < 1 ? WEAK_IMPORTANCE * rarity : rarity;
}

/** How well a tool matches a slot, 0…1: the weight of the best stand-in that it contains. */
export function worthFor({ weightByTerm }: Slot, visible: Visible, at: number): number {
  let worth = 0;
  for (const [term, weight] of weightByTerm) {
    if (weight > worth && visible.holds(term, at)) worth = weight;
  }
  return worth;
}

/** How much of a tool's own name the query covers, 0…1, weighted by the rarity of the words. */
export function nameShare(at: number, worthByTerm: ReadonlyMap<string, number>, visible: Visible): number {
  const { stems } = visible.nameAt(at);
  const whole = sum(stems, (term) => visible.idf(term));
  return share(
    sum(stems, (term) => visible.idf(term) * (worthByTerm.get(term) ?? 0)),
    whole,
  );
}

export function worthsOf(slots: readonly Slot[]): ReadonlyMap<string, number> {
  const worthByTerm = new Map<string, number>();
  for (const { weightByTerm } of slots) {
    for (const [term, worth] of weightByTerm)
      worthByTerm.set(term, Math.max(worthByTerm.get(term) ?? 0, worth));
  }
  return worthByTerm;
}

export function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += valueOf(item);
  return total;
}

/** How far a value has come from one bound to the other, 0…1. */
export function progress(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}

export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
