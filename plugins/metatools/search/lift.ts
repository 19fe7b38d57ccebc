import { isAgainst } from './acts.ts';
import { importanceOf, nameShare, share, worthsOf } from './share.ts';
import type { Slot } from './slotsOf.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import type { Visible } from './visible.ts';
import { wordsOf } from '../../kit/text/wordsOf.ts';

const NAME_SHARE = 0.4;
const QUERY_SHARE = 1;
const SAME_WORDS = 0.2;
const NAMED_PRODUCT = 0.4;
const OTHER_ACT_LOSS = 0.15;
/** A tool that contains the word itself has a higher worth than this. */
const STAND_IN_WORTH = 0.8;

export interface Asked {
  readonly query: string;
  readonly acts: ReadonlySet<string>;
  readonly slots: readonly Slot[];
  readonly visible: Visible;
  readonly thesaurus: Thesaurus;
}

/** Raises the scores of the best tools by criteria that a sum over words misses: how much of the tool's name the query covers,
 *  how much of the query the tool matches, exact words of the name (unstemmed), the named product, and the act.
 *  @param ats the best tools, by index among the visible tools */
export function lift(
  allScores: readonly Float32Array[],
  ats: Iterable<number>,
  { query, acts, slots, visible, thesaurus }: Asked,
): void {
  const places = visible.inOrder(ats);
  const { answered, ofProduct } = matchesOf(slots, places, { visible, thesaurus });
  const worthByTerm = worthsOf(slots);
  const words = new Set(wordsOf(query));
  for (let i = 0; i < places.length; i += 1) {
    const at = visible.at(places[i] ?? -1);
    const { words: own, stems } = visible.nameAt(at);
    const same = own.filter((word) => words.has(word)).length;
    const factor =
      1 +
      NAME_SHARE * nameShare(at, worthByTerm, visible) +
      QUERY_SHARE * (answered[i] ?? 0) +
      SAME_WORDS * share(same, own.length) +
      NAMED_PRODUCT * (ofProduct[i] ?? 0) -
      (isAgainst(acts, stems, thesaurus) ? OTHER_ACT_LOSS : 0);
    for (const scores of allScores) scores[at] = (scores[at] ?? 0) * factor;
  }
}

/** The share of the query that each tool matches, and whether it is of the named product. */
function matchesOf(
  slots: readonly Slot[],
  places: Int32Array,
  { visible, thesaurus }: Pick<Asked, 'visible' | 'thesaurus'>,
): { readonly answered: Float64Array; readonly ofProduct: Uint8Array } {
  const answered = new Float64Array(places.length);
  const ofProduct = new Uint8Array(places.length);
  let asked = 0;
  for (const slot of slots) {
    const importance = importanceOf(slot, visible);
    const isProduct = thesaurus.isProduct(slot.term) && visible.has(slot.term);
    const worths = visible.worthsAt(places, slot.weightByTerm);
    asked += importance;
    for (let i = 0; i < worths.length; i += 1) {
      answered[i] = (answered[i] ?? 0) + importance * (worths[i] ?? 0);
      if (isProduct && (worths[i] ?? 0) > STAND_IN_WORTH) ofProduct[i] = 1;
    }
  }
  return { answered: answered.map((part) => share(part, asked)), ofProduct };
}
