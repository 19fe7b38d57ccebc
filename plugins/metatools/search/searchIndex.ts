import type { Tool } from 'pegboard';
import type { Stem } from './thesaurus/stem.ts';
import { FIELDS, textsOf } from './toolFields.ts';
import type { InstructionsOf } from './toolFields.ts';
import { wordsOf } from '../../kit/text/wordsOf.ts';

/** The tools that contain a term, by their places in the index, with its number of occurrences in each field. */
export interface Postings {
  readonly places: readonly number[];
  /** Four bits per field, so that a tool needs one number, not an array. */
  readonly counts: readonly number[];
}
export interface NameWords {
  readonly stems: readonly string[];
  readonly words: readonly string[];
}
interface GrowingPostings extends Postings {
  readonly places: number[];
  readonly counts: number[];
}

export const FIELD_BITS = 4;
const MOST = 2 ** FIELD_BITS - 1;
const MOST_TERMS = 2 ** 16 - 1;
/** Number of words whose postings are remembered, so that they are not stemmed again. */
const MAX_WORDS = 200_000;

/** @param field index in FIELDS */
export function countIn(counts: number, field: number): number {
  return (counts >>> (field * FIELD_BITS)) & MOST;
}

/** Inverted index of all tools that requests have searched. Removed tools do not affect results, as every search names
 *  its tools, but they use memory: the ranker starts a new index when there are many. */
export class SearchIndex {
  /** Stems and words of each tool's own name, by place. */
  readonly names: NameWords[] = [];
  readonly postingsByTerm = new Map<string, GrowingPostings>();
  readonly #stem: Stem;
  readonly #postingsByWord = new Map<string, GrowingPostings>();
  /** Number of terms in each field of each place, place by place. */
  #lengths = new Uint16Array(FIELDS.length * 64);
  readonly #termsByFirst = new Map<string, string[]>();
  readonly #placeByTool = new Map<Tool, number>();

  constructor(stem: Stem) {
    this.#stem = stem;
  }

  get size(): number {
    return this.names.length;
  }

  placeOf(tool: Tool, instructionsOf?: InstructionsOf): number {
    return this.#placeByTool.get(tool) ?? this.#add(tool, instructionsOf);
  }

  /** Number of terms in a field of the tool at a place. */
  lengthOf(place: number, field: number): number {
    return this.#lengths[place * FIELDS.length + field] ?? 0;
  }

  /** Mean number of terms in each field of some tools; 1 for a field that is always empty. */
  meanLengths(places: Int32Array): readonly number[] {
    const sums = FIELDS.map(() => 0);
    for (const place of places) {
      for (let field = 0; field < FIELDS.length; field += 1) {
        sums[field] = (sums[field] ?? 0) + (this.#lengths[place * FIELDS.length + field] ?? 0);
      }
    }
    return sums.map((sum) => sum / Math.max(places.length, 1) || 1);
  }

  /** Terms that begin with the same letter. */
  termsLike(term: string): readonly string[] {
    return this.#termsByFirst.get(term.slice(0, 1)) ?? [];
  }

  #add(tool: Tool, instructionsOf?: InstructionsOf): number {
    const place = this.size;
    const texts = textsOf(tool, instructionsOf);
    this.#placeByTool.set(tool, place);
    const words = wordsOf(texts[0] ?? '');
    this.names.push({ stems: [...new Set(words.map(this.#stem))], words });
    const first = place * FIELDS.length;
    if (first + FIELDS.length > this.#lengths.length) {
      const longer = new Uint16Array(2 * this.#lengths.length);
      longer.set(this.#lengths);
      this.#lengths = longer;
    }
    for (let field = 0; field < texts.length; field += 1) {
      this.#lengths[first + field] = this.#addField(place, field, texts[field] ?? '');
    }
    return place;
  }

  #addField(place: number, field: number, text: string): number {
    if (text === '') return 0;
    const one = 1 << (field * FIELD_BITS);
    const words = wordsOf(text);
    for (const word of words) {
      const { places, counts } = this.#postingsByWord.get(word) ?? this.#postingsOf(word);
      const last = places.length - 1;
      if (places[last] !== place) {
        places.push(place);
        counts.push(one);
      } else if (countIn(counts[last] ?? 0, field) < MOST) counts[last] = ((counts[last] ?? 0) + one) | 0;
    }
    return Math.min(words.length, MOST_TERMS);
  }

  #postingsOf(word: string): GrowingPostings {
    const term = this.#stem(word);
    const postings = this.postingsByTerm.get(term) ?? this.#addTerm(term);
    if (this.#postingsByWord.size < MAX_WORDS) this.#postingsByWord.set(word, postings);
    return postings;
  }

  #addTerm(term: string): GrowingPostings {
    const postings = { places: [], counts: [] };
    this.postingsByTerm.set(term, postings);
    const terms = this.#termsByFirst.get(term.slice(0, 1));
    if (terms === undefined) this.#termsByFirst.set(term.slice(0, 1), [term]);
    else terms.push(term);
    return postings;
  }
}
