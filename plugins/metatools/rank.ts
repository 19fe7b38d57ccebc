import type { Tool } from 'pegboard';
import { slotsOf } from './queryTerms.ts';
import type { Slot, Vocabulary } from './queryTerms.ts';
import { FIELDS, SearchIndex } from './searchIndex.ts';
import type { Posting } from './searchIndex.ts';

export interface Hit {
  readonly tool: Tool;
  /** Rounded to four decimals; never 0. */
  readonly score: number;
}
export interface Ranking {
  /** Best first; ties in catalogue order. */
  readonly hits: readonly Hit[];
  /** False when the best match is so weak that there may be no tool for the query. */
  readonly isSure: boolean;
}

/** In the order of FIELDS. */
const FIELD_WEIGHTS = [3, 2, 1, 0.3, 0.3];
const K1 = 1.5;
const B = 0.75;
const SURE_FROM = 0.5;

/** BM25F over name, server, summary, details and parameter names; filters come before it, so what a request may not see
 *  changes no score. Source: aggregator.md 2.4, discovery/README.md. */
export class Ranker {
  #index = new SearchIndex();
  #generation: number | undefined;

  rank(query: string, tools: readonly Tool[], generation: number): Ranking {
    if (generation !== this.#generation) {
      this.#index = new SearchIndex();
      this.#generation = generation;
    }
    const visible = new Visible(this.#index, tools);
    const slots = slotsOf(query, visible);
    const scores = scoresOf(slots, visible);
    const hits: Hit[] = [];
    tools.forEach((tool, at) => {
      const score = scores[at] ?? 0;
      if (score > 0) hits.push({ tool, score: Math.max(Math.round(score * 10_000) / 10_000, 0.0001) });
    });
    // Array.prototype.sort is stable, so ties stay in catalogue order.
    hits.sort((a, b) => b.score - a.score);
    const [best] = hits;
    return {
      hits,
      isSure: best !== undefined && coverage(slots, visible, tools.indexOf(best.tool)) >= SURE_FROM,
    };
  }
}

/** The part of the index that the request may see. */
class Visible implements Vocabulary {
  readonly count: number;
  readonly #index: SearchIndex;
  /** Place in the index → place among the visible; -1 for hidden ones. */
  readonly #rankByPlace: Int32Array;
  readonly #averages: readonly number[];
  readonly #postingsByTerm = new Map<string, readonly Posting[]>();

  constructor(index: SearchIndex, tools: readonly Tool[]) {
    const places = index.placesOf(tools);
    this.#index = index;
    this.count = places.length;
    this.#rankByPlace = new Int32Array(index.tools.length).fill(-1);
    const sums = FIELDS.map(() => 0);
    places.forEach((place, at) => {
      this.#rankByPlace[place] = at;
      index.lengths[place]?.forEach((length, field) => (sums[field] = (sums[field] ?? 0) + length));
    });
    this.#averages = sums.map((sum) => sum / Math.max(this.count, 1));
  }

  /** Postings of visible tools, `at` counting among them. */
  postings(term: string): readonly Posting[] {
    let postings = this.#postingsByTerm.get(term);
    if (postings === undefined) {
      const all = this.#index.postingsByTerm.get(term) ?? [];
      postings = all.filter(({ at }) => (this.#rankByPlace[at] ?? -1) >= 0);
      this.#postingsByTerm.set(term, postings);
    }
    return postings;
  }

  rankOf({ at }: Posting): number {
    return this.#rankByPlace[at] ?? -1;
  }

  has(term: string): boolean {
    return this.postings(term).length > 0;
  }

  terms(): Iterable<string> {
    return this.#index.postingsByTerm.keys();
  }

  idf(term: string): number {
    const holding = this.postings(term).length;
    return Math.log(1 + (this.count - holding + 0.5) / (holding + 0.5));
  }

  /** How well a term fits a tool, saturating, 0…K1 + 1. */
  fit({ at, counts }: Posting): number {
    const lengths = this.#index.lengths[at] ?? [];
    let weighted = 0;
    for (let field = 0; field < FIELDS.length; field += 1) {
      const count = counts[field] ?? 0;
      if (count === 0) continue;
      const relative = (lengths[field] ?? 0) / (this.#averages[field] || 1);
      weighted += ((FIELD_WEIGHTS[field] ?? 0) * count) / (1 - B + B * relative);
    }
    return (weighted * (K1 + 1)) / (weighted + K1);
  }
}

function scoresOf(slots: readonly Slot[], visible: Visible): Float64Array {
  const scores = new Float64Array(visible.count);
  for (const slot of slots) {
    const best = slotScores(slot, visible);
    for (const [at, score] of best) scores[at] = (scores[at] ?? 0) + score;
  }
  return scores;
}

/** A slot counts once per tool, by the stand-in that fits best. */
function slotScores({ term, weight, weightByTerm }: Slot, visible: Visible): Map<number, number> {
  const own = visible.has(term) ? visible.idf(term) : Infinity;
  const best = new Map<number, number>();
  for (const [standIn, worth] of weightByTerm) {
    const idf = Math.min(visible.idf(standIn), own);
    for (const posting of visible.postings(standIn)) {
      const at = visible.rankOf(posting);
      const score = weight * worth * idf * visible.fit(posting);
      if (score > (best.get(at) ?? 0)) best.set(at, score);
    }
  }
  return best;
}

/** Share of what the query asks that a tool answers, by rarity of the words; unknown words count as the rarest. */
function coverage(slots: readonly Slot[], visible: Visible, at: number): number {
  const rarest = Math.log(1 + (visible.count + 0.5) / 0.5);
  let asked = 0;
  let answered = 0;
  let known = 0;
  for (const slot of slots) {
    const importance =
      (slot.weight < 1 ? 0.3 : 1) * (visible.has(slot.term) ? visible.idf(slot.term) : rarest);
    asked += importance;
    known += slot.isKnown ? 1 : 0;
    let worth = 0;
    for (const [term, weight] of slot.weightByTerm) {
      if (weight > worth && visible.postings(term).some((posting) => visible.rankOf(posting) === at))
        worth = weight;
    }
    answered += importance * worth;
  }
  return asked === 0 ? 0 : (answered / asked) * (0.3 + (0.7 * known) / slots.length);
}
