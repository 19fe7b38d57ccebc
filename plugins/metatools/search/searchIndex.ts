import type { Tool } from 'pegboard';
import type { Stem } from './thesaurus/stem.ts';
import { wordsOf } from './wordsOf.ts';

/** The searched fields of a tool; the index of a field in this list is its index in all arrays. */
export const FIELDS = ['name', 'server', 'summary', 'details', 'parameters'] as const;
const MAX_SUMMARY_CHARS = 600;
const MAX_DETAIL_CHARS = 400;

/** The tools that contain a term, by their places in the index, with its number of occurrences in each field. */
export interface Postings {
  readonly places: readonly number[];
  /** Six bits per field, so that a tool needs one number, not an array. */
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

const FIELD_BITS = 6;
const MOST = 2 ** FIELD_BITS - 1;

/** @param field index in FIELDS */
export function countIn(counts: number, field: number): number {
  return (counts >>> (field * FIELD_BITS)) & MOST;
}

/** Inverted index of all tools that requests have searched. Removed tools do not affect results, as every search names
 *  its tools, but they use memory: the ranker starts a new index when there are many. */
export class SearchIndex {
  /** Number of terms in each field, by place. */
  readonly lengths: (readonly number[])[] = [];
  /** Stems and words of each tool's own name, by place. */
  readonly names: NameWords[] = [];
  readonly postingsByTerm = new Map<string, GrowingPostings>();
  readonly #stem: Stem;
  readonly #termsByFirst = new Map<string, string[]>();
  readonly #placeByTool = new Map<Tool, number>();

  constructor(stem: Stem) {
    this.#stem = stem;
  }

  get size(): number {
    return this.lengths.length;
  }

  has(tool: Tool): boolean {
    return this.#placeByTool.has(tool);
  }

  placeOf(tool: Tool): number {
    return this.#placeByTool.get(tool) ?? this.#add(tool);
  }

  #add(tool: Tool): number {
    const place = this.size;
    this.#placeByTool.set(tool, place);
    const texts = textsOf(tool);
    const words = wordsOf(texts[0] ?? '');
    this.names.push({ stems: [...new Set(words.map(this.#stem))], words });
    this.lengths.push(
      texts.map((text, field) => this.#addField(place, field, wordsOf(text).map(this.#stem))),
    );
    return place;
  }

  /** Terms that begin with the same letter. */
  termsLike(term: string): readonly string[] {
    return this.#termsByFirst.get(term.slice(0, 1)) ?? [];
  }

  #addTerm(term: string): GrowingPostings {
    const postings = { places: [], counts: [] };
    this.postingsByTerm.set(term, postings);
    const terms = this.#termsByFirst.get(term.slice(0, 1));
    if (terms === undefined) this.#termsByFirst.set(term.slice(0, 1), [term]);
    else terms.push(term);
    return postings;
  }

  #addField(place: number, field: number, terms: readonly string[]): number {
    const one = 1 << (field * FIELD_BITS);
    for (const term of terms) {
      let postings = this.postingsByTerm.get(term);
      if (postings === undefined) postings = this.#addTerm(term);
      const { places, counts } = postings;
      const last = places.length - 1;
      if (places[last] !== place) {
        places.push(place);
        counts.push(one);
      } else if (countIn(counts[last] ?? 0, field) < MOST) counts[last] = (counts[last] ?? 0) + one;
    }
    return terms.length;
  }
}

function textsOf(tool: Tool): string[] {
  const { name, server } = namesOf(tool);
  const description = tool.description.trim();
  const firstLine = description.split('\n', 1)[0] ?? '';
  const title = tool.declared?.['title'];
  const summary = typeof title === 'string' ? `${title}\n${firstLine}` : firstLine;
  const details = description.slice(firstLine.length, firstLine.length + MAX_DETAIL_CHARS);
  const parameters = Object.keys(tool.inputSchema['properties'] ?? {}).join(' ');
  return [name, server, summary.slice(0, MAX_SUMMARY_CHARS), details, parameters];
}

/** The upstream's own tool name, separated from the prefix that names the server. */
function namesOf(tool: Tool): { name: string; server: string } {
  const { name, kind, server = '' } = tool;
  const own = tool.declared?.['name'];
  if (typeof own === 'string' && name.endsWith(own)) {
    return {
      name: own,
      server: `${server} ${name.slice(0, -own.length).replace(/^x_/, '').replace(server, '')}`,
    };
  }
  if (kind === 'tool') return { name, server };
  const split = name.indexOf('_');
  return { name: name.slice(split + 1), server: name.slice(0, Math.max(split, 0)) };
}
