import { importanceOf, nameShare, share, sum, worthFor, worthsOf } from './share.ts';
import type { Slot } from './slotsOf.ts';
import type { Visible } from './visible.ts';
import { isAgainst } from './acts.ts';
import { bestOf } from './bestOf.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { wordsOf } from './wordsOf.ts';

/** Tools that are looked at closely. */
const CANDIDATES = 60;
const NAME_SHARE = 0.4;
const QUERY_SHARE = 1;
const SAME_WORDS = 0.2;
const NAMED_PRODUCT = 0.4;
const OTHER_ACT_LOSS = 0.15;
/** What holds a word itself is worth more than this. */
const STAND_IN_WORTH = 0.8;

interface Asked {
  readonly query: string;
  readonly acts: ReadonlySet<string>;
  readonly slots: readonly Slot[];
  readonly visible: Visible;
  readonly thesaurus: Thesaurus;
}

/** Lifts the best by what a sum over words does not see: how much of its name a tool is asked for, how much of the query
 *  it answers, whether it says so in the same words, plural and all, whether it is of the product
 *  that is named, and whether it does that kind of thing. */
export function rerank(scores: Float64Array, { query, acts, slots, visible, thesaurus }: Asked): void {
  const worthByTerm = worthsOf(slots);
  const words = new Set(wordsOf(query));
  // By name, so that the order in which tools came changes nothing.
  const isFirst = (at: number, other: number): boolean =>
    (visible.tools[at]?.name ?? '') < (visible.tools[other]?.name ?? '');
  const weighed = slots.map((slot) => ({ slot, importance: importanceOf(slot, visible) }));
  const asked = sum(weighed, ({ importance }) => importance);
  const products = slots.filter(({ term }) => thesaurus.isProduct(term) && visible.has(term));
  for (const at of bestOf(scores, CANDIDATES, isFirst)) {
    const { words: own, stems } = visible.nameAt(at);
    const same = own.filter((word) => words.has(word)).length;
    const answered = sum(weighed, ({ slot, importance }) => importance * worthFor(slot, visible, at));
    const isOfProduct = products.some((slot) => worthFor(slot, visible, at) > STAND_IN_WORTH);
    const lift =
      NAME_SHARE * nameShare(at, worthByTerm, visible) +
      QUERY_SHARE * share(answered, asked) +
      SAME_WORDS * share(same, own.length) +
      (isOfProduct ? NAMED_PRODUCT : 0) -
      (isAgainst(acts, stems, thesaurus) ? OTHER_ACT_LOSS : 0);
    scores[at] = (scores[at] ?? 0) * (1 + lift);
  }
}
