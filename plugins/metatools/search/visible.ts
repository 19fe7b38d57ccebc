import { once } from 'pegboard';
import type { Tool } from 'pegboard';
import type { Vocabulary } from './slotsOf.ts';
import { countIn, FIELD_BITS } from './searchIndex.ts';
import type { NameWords, Postings, SearchIndex } from './searchIndex.ts';
import { FIELDS } from './toolFields.ts';

interface FieldWeight {
  /** Weight of a word in the field. */
  readonly weight: number;
  /** How much it falls in fields longer than average (b of BM25F), 0…1. */
  readonly norm: number;
}
type Weights = Readonly<Record<(typeof FIELDS)[number], FieldWeight>>;

/** Weights for the search by meaning, whose words are mostly those of names and first sentences. */
const BY_MEANING: Weights = {
  name: { weight: 5, norm: 0.75 },
  title: { weight: 1, norm: 0.75 },
  summary: { weight: 1, norm: 0.75 },
  details: { weight: 0.25, norm: 0.75 },
  parameters: { weight: 0.15, norm: 0.75 },
  parameterTexts: { weight: 0, norm: 0 },
  values: { weight: 0, norm: 0 },
  server: { weight: 3, norm: 0.75 },
};
/** Weights for the search in the full text, chosen by cross-validation over public sets. */
const BY_TEXT: Weights = {
  name: { weight: 2.5, norm: 0.5 },
  title: { weight: 1.5, norm: 0.3 },
  summary: { weight: 1.5, norm: 0.5 },
  details: { weight: 0.7, norm: 0.2 },
  parameters: { weight: 0.8, norm: 0.5 },
  parameterTexts: { weight: 0.6, norm: 0 },
  values: { weight: 0.3, norm: 0.5 },
  server: { weight: 1, norm: 0.3 },
};
/** How fast further occurrences of a word lose weight. */
const MEANING_K1 = 1.2;
const TEXT_K1 = 1.5;
/** Exponent that favours many fair matches over one good match. */
export const DAMPING = 0.85;
const NAME = FIELDS.indexOf('name');
const KNOWN_BY = (['name', 'title', 'server', 'summary'] as const).map((field) => FIELDS.indexOf(field));

/** The tools that contain a term, by index among the visible tools, with how well it fits each. */
export interface Matches {
  readonly places: Int32Array;
  /** How well it fits for the search by meaning, damped. */
  readonly fits: Float32Array;
  /** How well it fits for the search in the full text. */
  readonly textFits: Float32Array;
}

type Buffers = Readonly<Record<'meaning' | 'text' | 'spare', Float32Array>>;

const NAMELESS: NameWords = { stems: [], words: [] };
const NOWHERE: Postings = { places: [], counts: [] };
const NO_MATCHES = matchesOf(0);

/** The tools of a search. Other tools in the index do not affect any figure. */
export class Visible implements Vocabulary {
  readonly count: number;
  readonly tools: readonly Tool[];
  readonly #index: SearchIndex;
  /** Place in the index → index among the visible tools; -1 for all others. */
  readonly #atByPlace: Int32Array;
  readonly #places: Int32Array;
  /** The core tools, by index among the visible tools. */
  readonly core: readonly number[];
  readonly #buffers: Buffers;
  readonly #byMeaning: Fitting;
  readonly #byText: Fitting;
  readonly #postingsByTerm = new Map<string, Postings>();
  readonly #matchesByTerm = new Map<string, Matches>();
  readonly #namedByTerm = new Map<string, readonly number[]>();

  /** @param places of the tools in the index */
  constructor(
    index: SearchIndex,
    tools: readonly Tool[],
    places = Int32Array.from(tools, (tool) => index.placeOf(tool)),
  ) {
    this.tools = tools;
    this.#index = index;
    this.#places = places;
    this.count = places.length;
    const zeros = (): Float32Array => new Float32Array(this.count);
    this.#buffers = { meaning: zeros(), text: zeros(), spare: zeros() };
    this.#atByPlace = new Int32Array(index.size).fill(-1);
    for (let at = 0; at < places.length; at += 1) this.#atByPlace[places[at] ?? 0] = at;
    this.core = coreIn(tools);
    const means = index.meanLengths(places);
    this.#byMeaning = fittingOf(BY_MEANING, means, MEANING_K1);
    this.#byText = fittingOf(BY_TEXT, means, TEXT_K1);
  }

  /** The rank of each tool by its name: a query that fits thousands alike compares them all. */
  readonly nameRanks = once((): Int32Array => {
    const ranks = new Int32Array(this.count);
    const names = this.tools.map(({ name }) => name);
    const order = [...names.keys()].sort((a, b) => ((names[a] ?? '') < (names[b] ?? '') ? -1 : 1));
    for (const [rank, at] of order.entries()) ranks[at] = rank;
    return ranks;
  });

  /** Arrays for the scores of a search, with zeros; each search uses the same. */
  buffers(): Buffers {
    for (const buffer of Object.values(this.#buffers)) buffer.fill(0);
    return this.#buffers;
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
    const matches = matchesOf(places.length);
    for (let i = 0; i < places.length; i += 1) {
      const place = places[i] ?? 0;
      matches.places[i] = this.at(place);
      matches.fits[i] = this.#fit(place, counts[i] ?? 0, this.#byMeaning) ** DAMPING;
      matches.textFits[i] = this.#fit(place, counts[i] ?? 0, this.#byText);
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
    return this.#countsAt(term, at) !== 0;
  }

  /** Whether the name, title, server or summary of the tool contains a term. */
  isKnownBy(term: string, at: number): boolean {
    const counts = this.#countsAt(term, at);
    return KNOWN_BY.some((field) => countIn(counts, field) > 0);
  }

  #countsAt(term: string, at: number): number {
    const { places, counts } = this.postings(term);
    const wanted = this.#places[at] ?? -1;
    const found = firstFrom(places, wanted, 0);
    return places[found] === wanted ? (counts[found] ?? 0) : 0;
  }

  /** Places in the index of some of the visible tools, in order. */
  inOrder(ats: Iterable<number>): Int32Array {
    return Int32Array.from(ats, (at) => this.#places[at] ?? -1).sort();
  }

  /** How well each tool matches a word with these stand-ins: the worth of the best one that it contains.
   *  @param sorted places in the index, in order */
  worthsAt(sorted: Int32Array, worthByTerm: ReadonlyMap<string, number>): Float64Array {
    const worths = new Float64Array(sorted.length);
    for (const [term, worth] of worthByTerm) {
      const { places } = this.postings(term);
      for (let i = 0, from = 0; i < sorted.length && from < places.length; i += 1) {
        if ((worths[i] ?? 0) >= worth) continue;
        const place = sorted[i] ?? 0;
        from = firstFrom(places, place, from);
        if (places[from] === place) worths[i] = worth;
      }
    }
    return worths;
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

  /** How well a term fits the tool at a place of the index, saturating at k1 + 1. */
  #fit(place: number, counts: number, { flat, byLength, k1 }: Fitting): number {
    let weighted = 0;
    for (let field = 0, rest = counts; rest !== 0; field += 1, rest >>>= FIELD_BITS) {
      const count = countIn(rest, 0);
      if (count === 0) continue;
      weighted += count / ((flat[field] ?? 1) + (byLength[field] ?? 0) * this.#index.lengthOf(place, field));
    }
    return (weighted * (k1 + 1)) / (weighted + k1);
  }
}

/** Weights for the lengths of the visible tools: a word counts 1 / (flat + byLength × terms of the field). */
interface Fitting {
  readonly flat: readonly number[];
  readonly byLength: readonly number[];
  readonly k1: number;
}

function fittingOf(weights: Weights, means: readonly number[], k1: number): Fitting {
  const all = FIELDS.map((field) => weights[field]);
  return {
    flat: all.map(({ weight, norm }) => (1 - norm) / weight),
    byLength: all.map(({ weight, norm }, field) => norm / weight / (means[field] ?? 1) || 0),
    k1,
  };
}

/** Index of the first place that is not before another one; from there on by growing steps, then by halves. */
function firstFrom(places: readonly number[], wanted: number, from: number): number {
  let low = from;
  let step = 1;
  while (low + step <= places.length && (places[low + step - 1] ?? 0) < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, places.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function coreIn(tools: readonly Tool[]): readonly number[] {
  const core: number[] = [];
  for (let at = 0; at < tools.length; at += 1) if (tools[at]?.kind === 'core') core.push(at);
  return core;
}

function matchesOf(count: number): Matches {
  return {
    places: new Int32Array(count),
    fits: new Float32Array(count),
    textFits: new Float32Array(count),
  };
}
