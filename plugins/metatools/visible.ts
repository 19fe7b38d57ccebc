import type { Tool } from 'pegboard';
import type { Slot, Vocabulary } from './queryTerms.ts';
import { FIELDS, countIn } from './searchIndex.ts';
import type { Postings, SearchIndex } from './searchIndex.ts';

/** In the order of FIELDS. */
const FIELD_WEIGHTS = [5, 3, 1, 0.2, 0.2];
const K1 = 1.2;
const B = 0.75;
const NOWHERE: Postings = { places: [], counts: [] };

/** The tools that a search is about. What else the index holds changes no figure (U54). */
export class Visible implements Vocabulary {
  readonly count: number;
  readonly #index: SearchIndex;
  /** Place in the index → place among the visible tools; -1 for all others. */
  readonly #atByPlace: Int32Array;
  readonly #averages: readonly number[];
  readonly #postingsByTerm = new Map<string, Postings>();

  constructor(index: SearchIndex, tools: readonly Tool[]) {
    const places = tools.map((tool) => index.placeOf(tool));
    const sums = FIELDS.map(() => 0);
    this.#index = index;
    this.count = places.length;
    this.#atByPlace = new Int32Array(index.size).fill(-1);
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] ?? 0;
      const lengths = index.lengths[place] ?? [];
      this.#atByPlace[place] = at;
      for (let field = 0; field < sums.length; field += 1)
        sums[field] = (sums[field] ?? 0) + (lengths[field] ?? 0);
    }
    this.#averages = sums.map((sum) => sum / Math.max(this.count, 1));
  }

  /** Of visible tools only. */
  postings(term: string): Postings {
    let postings = this.#postingsByTerm.get(term);
    if (postings === undefined) {
      const all = this.#index.postingsByTerm.get(term) ?? NOWHERE;
      postings = this.count === this.#index.size ? all : this.#visibleIn(all);
      this.#postingsByTerm.set(term, postings);
    }
    return postings;
  }

  #visibleIn({ places, counts }: Postings): Postings {
    const isVisible = places.map((place) => this.at(place) >= 0);
    return {
      places: places.filter((_, at) => isVisible[at]),
      counts: counts.filter((_, at) => isVisible[at]),
    };
  }

  /** Place among the visible tools of what stands at a place of the index; -1 for others. */
  at(place: number): number {
    return this.#atByPlace[place] ?? -1;
  }

  has(term: string): boolean {
    return this.postings(term).places.length > 0;
  }

  terms(): Iterable<string> {
    return this.#index.postingsByTerm.keys();
  }

  idf(term: string): number {
    const holding = this.postings(term).places.length;
    return Math.log(1 + (this.count - holding + 0.5) / (holding + 0.5));
  }

  /** How much of a query's meaning a slot carries: a word nobody knows counts as the rarest. */
  importance({ term, weight }: Slot): number {
    const rarity = this.has(term) ? this.idf(term) : Math.log(1 + (this.count + 0.5) / 0.5);
    return weight < 1 ? 0.3 * rarity : rarity;
  }

  /** How well a term fits a tool, saturating, 0…K1 + 1. */
  fit(place: number, counts: number): number {
    const lengths = this.#index.lengths[place] ?? [];
    let weighted = 0;
    for (let field = 0; field < FIELDS.length; field += 1) {
      const count = countIn(counts, field);
      if (count === 0) continue;
      const relative = (lengths[field] ?? 0) / (this.#averages[field] || 1);
      weighted += ((FIELD_WEIGHTS[field] ?? 0) * count) / (1 - B + B * relative);
    }
    return (weighted * (K1 + 1)) / (weighted + K1);
  }
}
