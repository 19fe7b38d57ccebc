import { importanceOf, nameShare, share, sum, worthFor, worthsOf } from './share.ts';
import type { Slot } from './queryTerms.ts';
import type { Visible } from './visible.ts';
import { isAgainst } from './acts.ts';
import { isProduct } from './thesaurus.ts';
import { wordsOf } from './words.ts';

/** Tools that are looked at closely. */
const CANDIDATES = 60;
const NAME_SHARE = 0.4;
const QUERY_SHARE = 1;
const SAME_WORDS = 0.2;
const NAMED_PRODUCT = 0.4;
const OTHER_ACT = 0.15;
/** What holds a word itself is worth more than this. */
const STAND_IN_WORTH = 0.8;

interface Asked {
  readonly query: string;
  readonly acts: ReadonlySet<string>;
  readonly slots: readonly Slot[];
  readonly visible: Visible;
}

/** Lifts the best by what a sum over words does not see: how much of its name a tool is asked for, how much of the query
 *  it answers, whether it says so in the same words, plural and all, whether it is of the product
 *  that is named, and whether it does that kind of thing. */
export function rerank(scores: Float64Array, { query, acts, slots, visible }: Asked): void {
  const worthByTerm = worthsOf(slots);
  const words = new Set(wordsOf(query));
  const weighed = slots.map((slot) => ({ slot, importance: importanceOf(slot, visible) }));
  const asked = sum(weighed, ({ importance }) => importance);
  const products = slots.filter(({ term }) => isProduct(term) && visible.has(term));
  for (const at of bestOf(scores, visible)) {
    const { words: own, stems } = visible.nameAt(at);
    const same = own.filter((word) => words.has(word)).length;
    const answered = sum(weighed, ({ slot, importance }) => importance * worthFor(slot, visible, at));
    const isOfProduct = products.some((slot) => worthFor(slot, visible, at) > STAND_IN_WORTH);
    const lift =
      NAME_SHARE * nameShare(at, worthByTerm, visible) +
      QUERY_SHARE * share(answered, asked) +
      SAME_WORDS * share(same, own.length) +
      (isOfProduct ? NAMED_PRODUCT : 0) -
      (isAgainst(acts, stems) ? OTHER_ACT : 0);
    scores[at] = (scores[at] ?? 0) * (1 + lift);
  }
}

/** The best places; of equal ones those whose tools come first by name, whatever order they came in. */
function bestOf(scores: Float64Array, visible: Visible): readonly number[] {
  const best: number[] = [];
  const isBefore = (at: number, other: number): boolean => {
    const ahead = (scores[at] ?? 0) - (scores[other] ?? 0);
    return ahead === 0 ? (visible.tools[at]?.name ?? '') < (visible.tools[other]?.name ?? '') : ahead > 0;
  };
  for (let at = 0; at < scores.length; at += 1) {
    if ((scores[at] ?? 0) === 0) continue;
    const isFull = best.length === CANDIDATES;
    if (isFull && !isBefore(at, best[CANDIDATES - 1] ?? 0)) continue;
    let i = isFull ? CANDIDATES - 1 : best.length;
    for (; i > 0 && isBefore(at, best[i - 1] ?? 0); i -= 1) best[i] = best[i - 1] ?? 0;
    best[i] = at;
  }
  return best;
}
