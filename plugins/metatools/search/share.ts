import type { Slot } from './slotsOf.ts';
import type { Visible } from './visible.ts';

const WEAK_IMPORTANCE = 0.3;

/** How much of a query's meaning a slot carries: a word nobody knows counts as the rarest. */
export function importanceOf({ term, weight }: Slot, visible: Visible): number {
  const rarity = visible.has(term) ? visible.idf(term) : visible.rarest;
  return weight < 1 ? WEAK_IMPORTANCE * rarity : rarity;
}

/** How well a tool answers a slot, 0…1: by the best of the stand-ins that it holds. */
export function worthFor({ weightByTerm }: Slot, visible: Visible, at: number): number {
  let worth = 0;
  for (const [term, weight] of weightByTerm) {
    if (weight > worth && visible.holds(term, at)) worth = weight;
  }
  return worth;
}

/** How much of its own name a tool is asked for, 0…1, by rarity of the words. */
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

export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
