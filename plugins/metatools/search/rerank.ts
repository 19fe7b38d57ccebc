import { importanceOf, nameShare, share, sum, worthFor, worthsOf } from './share.ts';
import type { Slot } from './slotsOf.ts';
import type { Visible } from './visible.ts';
import { isAgainst } from './acts.ts';
import { bestOf } from './bestOf.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { wordsOf } from './wordsOf.ts';

/** Number of best tools that are reranked. */
const CANDIDATES = 60;
const NAME_SHARE = 0.4;
const QUERY_SHARE = 1;
const SAME_WORDS = 0.2;
const NAMED_PRODUCT = 0.4;
const OTHER_ACT_LOSS = 0.15;
/** A tool that contains the word itself has a higher worth than this. */
const STAND_IN_WORTH = 0.8;

interface Asked {
  readonly query: string;
  readonly acts: ReadonlySet<string>;
  readonly slots: readonly Slot[];
  readonly visible: Visible;
  readonly thesaurus: Thesaurus;
}

/** Raises the best tools by criteria that a sum over words misses: how much of the tool's name the query covers, how much
 *  of the query the tool matches, exact words of the name (unstemmed), the named product, and the act. */
export function rerank(scores: Float64Array, { query, acts, slots, visible, thesaurus }: Asked): void {
  const worthByTerm = worthsOf(slots);
  const words = new Set(wordsOf(query));
  // Ties are ordered by name, so that the order of registration has no effect.
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
