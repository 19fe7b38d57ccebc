import type { Tool } from 'pegboard';
import { termsOf } from './words.ts';

/** What a tool is searched by; a field's place in this list is its place in all arrays. */
export const FIELDS = ['name', 'server', 'summary', 'details', 'parameters'] as const;
const MAX_DETAIL_CHARS = 1_500;

interface Analysed {
  readonly lengths: readonly number[];
  readonly countsByTerm: ReadonlyMap<string, readonly number[]>;
}
export interface Posting {
  /** Place of the tool in `tools`. */
  readonly at: number;
  /** How often the term stands in each field. */
  readonly counts: readonly number[];
}

/** Tools are analysed once, however often the catalogue changes around them. */
const analysedByTool = new WeakMap<Tool, Analysed>();

/** Which tools hold which term, for one generation of the catalogue; grows by the tools that requests may see. */
export class SearchIndex {
  readonly tools: Tool[] = [];
  readonly lengths: (readonly number[])[] = [];
  readonly postingsByTerm = new Map<string, Posting[]>();
  readonly #placeByTool = new Map<Tool, number>();

  /** Places of the tools, in their order. */
  placesOf(tools: readonly Tool[]): Int32Array {
    const places = new Int32Array(tools.length);
    tools.forEach((tool, at) => (places[at] = this.#placeByTool.get(tool) ?? this.#add(tool)));
    return places;
  }

  #add(tool: Tool): number {
    const place = this.tools.length;
    const { lengths, countsByTerm } = analyse(tool);
    this.tools.push(tool);
    this.lengths.push(lengths);
    this.#placeByTool.set(tool, place);
    for (const [term, counts] of countsByTerm) {
      const postings = this.postingsByTerm.get(term);
      if (postings === undefined) this.postingsByTerm.set(term, [{ at: place, counts }]);
      else postings.push({ at: place, counts });
    }
    return place;
  }
}

function analyse(tool: Tool): Analysed {
  const known = analysedByTool.get(tool);
  if (known !== undefined) return known;
  const countsByTerm = new Map<string, number[]>();
  const lengths = textsOf(tool).map((text, field) => {
    const terms = termsOf(text);
    for (const term of terms) {
      const counts = countsByTerm.get(term) ?? FIELDS.map(() => 0);
      counts[field] = (counts[field] ?? 0) + 1;
      countsByTerm.set(term, counts);
    }
    return terms.length;
  });
  const analysed = { lengths, countsByTerm };
  analysedByTool.set(tool, analysed);
  return analysed;
}

function textsOf(tool: Tool): string[] {
  const { name, server } = namesOf(tool);
  const description = tool.description.trim();
  const firstLine = description.split('\n', 1)[0] ?? '';
  const title = tool.declared?.['title'];
  const summary = typeof title === 'string' ? `${title}\n${firstLine}` : firstLine;
  const details = description.slice(firstLine.length, MAX_DETAIL_CHARS);
  const parameters = Object.keys(tool.inputSchema['properties'] ?? {}).join(' ');
  return [name, server, summary, details, parameters];
}

/** The upstream's own name apart from the prefix that says where it comes from. */
function namesOf(tool: Tool): { name: string; server: string } {
  const own = tool.declared?.['name'];
  if (typeof own === 'string' && tool.name.endsWith(own)) {
    const prefix = tool.name.slice(0, -own.length).replace(/^x_/, '');
    return {
      name: own,
      server: prefix.startsWith(tool.server ?? '') ? prefix : `${tool.server ?? ''} ${prefix}`,
    };
  }
  const split = tool.kind === 'tool' ? -1 : tool.name.indexOf('_');
  return { name: tool.name.slice(split + 1), server: tool.server ?? tool.name.slice(0, Math.max(split, 0)) };
}
