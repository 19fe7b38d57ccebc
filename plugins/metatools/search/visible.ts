import type { Tool } from 'pegboard';
import type { Vocabulary } from './slotsOf.ts';
import { FIELDS, countIn } from './searchIndex.ts';
import type { NameWords, Postings, SearchIndex } from './searchIndex.ts';

/** Weights in the order of FIELDS. */
const FIELD_WEIGHTS = [5, 3, 1, 0.25, 0.15];
const NAME = FIELDS.indexOf('name');
const KNOWN_BY = ['name', 'server', 'summary'].map((field) => FIELDS.findIndex((one) => one === field));
/** Exponent that favours many fair matches over one good match. */
export const DAMPING = 0.85;
const K1 = 1.2;
const B = 0.75;
/** The tools that contain a term, by index among the visible tools, with how well it fits each. */
export interface Matches {
  readonly places: Int32Array;
  readonly fits: Float64Array;
}

const NAMELESS: NameWords = { stems: [], words: [] };
const NOWHERE: Postings = { places: [], counts: [] };
const NO_MATCHES: Matches = { places: new Int32Array(), fits: new Float64Array() };

/** The tools of a search. Other tools in the index do not affect any figure. */
export class Visible implements Vocabulary {
  readonly count: number;
  readonly tools: readonly Tool[];
  readonly #index: SearchIndex;
  /** Place in the index → index among the visible tools; -1 for all others. */
  readonly #atByPlace: Int32Array;
  readonly #places: readonly number[];
  readonly #fieldWorths: Float64Array;
  readonly #postingsByTerm = new Map<string, Postings>();
  readonly #matchesByTerm = new Map<string, Matches>();
  readonly #namedByTerm = new Map<string, readonly number[]>();

  constructor(index: SearchIndex, tools: readonly Tool[]) {
    const places = tools.map((tool) => index.placeOf(tool));
    this.tools = tools;
    this.#index = index;
    this.#places = places;
    this.count = places.length;
    this.#atByPlace = new Int32Array(index.size).fill(-1);
    for (let at = 0; at < places.length; at += 1) this.#atByPlace[places[at] ?? 0] = at;
    this.#fieldWorths = fieldWorthsOf(places.map((place) => index.lengths[place] ?? []));
  }

  /** False once the index has grown: postings shared with the index may then include other tools. */
  get isCurrent(): boolean {
    return this.#atByPlace.length === this.#index.size;
  }

  /** The postings of visible tools only. */
  postings(term: string): Postings {
    const kept = this.#postingsByTerm.get(term);
    if (kept !== undefined) return kept;
    const all = this.#index.postingsByTerm.get(term);
    if (all === undefined) return NOWHERE;
    const postings = this.count === this.#index.size ? all : this.#visibleIn(all);
    this.#postingsByTerm.set(term, postings);
    return postings;
  }

  #visibleIn({ places, counts }: Postings): Postings {
    const isVisible = places.map((place) => this.at(place) >= 0);
    return {
      places: places.filter((_, at) => isVisible[at]),
      counts: counts.filter((_, at) => isVisible[at]),
    };
  }

  matches(term: string): Matches {
    const kept = this.#matchesByTerm.get(term);
    if (kept !== undefined) return kept;
    const { places, counts } = this.postings(term);
    if (places.length === 0) return NO_MATCHES;
    const matches = { places: new Int32Array(places.length), fits: new Float64Array(places.length) };
    for (let i = 0; i < places.length; i += 1) {
      const at = this.at(places[i] ?? 0);
      matches.places[i] = at;
      matches.fits[i] = this.#fit(at, counts[i] ?? 0);
    }
    this.#matchesByTerm.set(term, matches);
    return matches;
  }

  /** Index among the visible tools of the tool at a place of the index; -1 for others. */
  at(place: number): number {
    return this.#atByPlace[place] ?? -1;
  }

  /** The visible tools whose own name contains a term. */
  namedBy(term: string): readonly number[] {
    let named = this.#namedByTerm.get(term);
    if (named === undefined) {
      const { places, counts } = this.postings(term);
      named = places.filter((_, at) => countIn(counts[at] ?? 0, NAME) > 0).map((place) => this.at(place));
      this.#namedByTerm.set(term, named);
    }
    return named;
  }

  /** Whether any field of the tool contains a term. */
  holds(term: string, at: number): boolean {
    return this.#countsAt(term, at) > 0;
  }

  /** Whether the name, server or summary of the tool contains a term. */
  isKnownBy(term: string, at: number): boolean {
    const counts = this.#countsAt(term, at);
    return KNOWN_BY.some((field) => countIn(counts, field) > 0);
  }

  #countsAt(term: string, at: number): number {
    const { places, counts } = this.postings(term);
    const wanted = this.#places[at] ?? -1;
    let from = 0;
    for (let to = places.length; from < to;) {
      const middle = (from + to) >> 1;
      if ((places[middle] ?? 0) < wanted) from = middle + 1;
      else to = middle;
    }
    return places[from] === wanted ? (counts[from] ?? 0) : 0;
  }

  /** The words of the name of a visible tool. */
  nameAt(at: number): NameWords {
    return this.#index.names[this.#places[at] ?? -1] ?? NAMELESS;
  }

  has(term: string): boolean {
    return this.postings(term).places.length > 0;
  }

  termsLike(term: string): readonly string[] {
    return this.#index.termsLike(term);
  }

  /** The idf of a term that no tool contains. */
  get rarest(): number {
    return Math.log(1 + (this.count + 0.5) / 0.5);
  }

  idf(term: string): number {
    const holding = this.postings(term).places.length;
    return Math.log(1 + (this.count - holding + 0.5) / (holding + 0.5));
  }

  /** How well a term fits a visible tool, saturating, 0…2. */
  #fit(at: number, counts: number): number {
    let weighted = 0;
    for (let field = 0; field < FIELDS.length; field += 1) {
      const count = countIn(counts, field);
      if (count > 0) weighted += count * (this.#fieldWorths[at * FIELDS.length + field] ?? 0);
    }
    return ((weighted * (K1 + 1)) / (weighted + K1)) ** DAMPING;
  }
}

/** The worth of one occurrence in each field of each tool: the field's weight, lower in fields longer than average. */
function fieldWorthsOf(lengths: readonly (readonly number[])[]): Float64Array {
  const averages = FIELDS.map((_, field) => {
    let sum = 0;
    for (const one of lengths) sum += one[field] ?? 0;
    return sum / Math.max(lengths.length, 1) || 1;
  });
  const worths = new Float64Array(lengths.length * FIELDS.length);
  lengths.forEach((one, at) => {
    for (let field = 0; field < FIELDS.length; field += 1) {
      const relative = (one[field] ?? 0) / (averages[field] ?? 1);
      worths[at * FIELDS.length + field] = (FIELD_WEIGHTS[field] ?? 0) / (1 - B + B * relative);
    }
  });
  return worths;
}
