import { setImmediate as turn } from 'node:timers/promises';
import type { Tool } from 'pegboard';
import { askedActs, askedObjects } from './acts.ts';
import { bestOf } from './bestOf.ts';
import { confidence } from './confidence.ts';
import { slotsOf } from './slotsOf.ts';
import type { Slot } from './slotsOf.ts';
import { rerank } from './rerank.ts';
import { lower, maxOf, raise, scoresOf } from './score.ts';
import { SearchIndex } from './searchIndex.ts';
import { createStemmer } from './thesaurus/stem.ts';
import { Thesaurus } from './thesaurus/thesaurus.ts';
import { Visible } from './visible.ts';

export interface Hit {
  readonly tool: Tool;
  /** Rounded to four decimals; never 0. */
  readonly score: number;
}
/** Best first; ties in catalogue order. Only the requested hits are sorted and created. */
export interface Hits {
  readonly length: number;
  slice(from: number, to: number): readonly Hit[];
}
export interface Ranking {
  readonly hits: Hits;
  /** False when the best match is so weak that there may be no tool for the query. */
  readonly isSure: boolean;
  /** Words of the query that match no visible tool, not even by a stand-in; in the query's order. */
  readonly unmatched: readonly string[];
}

/** Number of new tools indexed before yielding the event loop. */
const LEARNT_AT_ONCE = 25;
const SURE_FROM = 0.28;
/** Matches below this share of the best score are left out. */
const WORTH_SHOWING = 0.1;
/** Up to this many of the best hits are found without sorting all. */
const FEW = 64;
/** The index may contain this many removed tools more than there are tools. */
const SPARE = 1_000;
const CLAUSE_ENDS = /[,;.!?]\s|\s(?:and|then|und|et|y)\s/i;
const MAX_CLAUSES = 4;
/** What callers may see differs by toolset and class, of which few are in use at a time. */
const MAX_LISTS = 8;

/** BM25F over name, server, summary, details and parameter names. Filters are applied first, so hidden tools do not
 *  change a score. Source: requirement filter.query, list.order. */
export class Ranker {
  readonly #stem = createStemmer();
  /** Created on the first search: reading its files must not delay the start. */
  #thesaurus: Thesaurus | undefined;
  #index = new SearchIndex(this.#stem);
  #generation: number | undefined;
  /** Search statistics of each list of tools, so that they are computed once. */
  #visibleByTools = new WeakMap<readonly Tool[], Visible>();
  /** The lists of the last searches, the newest last. Callers who do not see all tools have a new list each time, of the same tools. */
  #lists: readonly (readonly Tool[])[] = [];

  async rank(text: string, seen: readonly Tool[], generation: number): Promise<Ranking> {
    // Collapse white space first: every later step would scan long runs of it again.
    const query = text.replace(/\s+/g, ' ').trim();
    this.#renew(generation, seen.length);
    const tools = this.#listOf(seen);
    const thesaurus = (this.#thesaurus ??= new Thesaurus(this.#stem));
    const kept = this.#visibleByTools.get(tools);
    const visible = kept?.isCurrent === true ? kept : await this.#look(tools, thesaurus);
    const slots = slotsOf(query, visible, thesaurus);
    const scores = scoresOf(slots, visible);
    // A search that had to index tools has taken long, so it yields before scoring.
    if (visible !== kept) await turn();
    const acts = askedActs(query, thesaurus);
    rerank(scores, { query, acts, slots, visible, thesaurus });
    for (const clause of clausesOf(query))
      raise(scores, scoresOf(slotsOf(clause, visible, thesaurus), visible));
    lower(scores, slots, visible);
    const [best] = bestOf(scores, 1);
    const sureness =
      best === undefined
        ? 0
        : confidence({
            acts,
            objects: askedObjects(query, thesaurus),
            slots,
            visible,
            thesaurus,
            at: best,
            score: scores[best] ?? 0,
          });
    return {
      hits: hitsOf(scores, tools),
      isSure: sureness >= SURE_FROM,
      unmatched: unmatchedOf(slots),
    };
  }

  /** A former list of the same tools if there is one. */
  #listOf(tools: readonly Tool[]): readonly Tool[] {
    const known = this.#lists.find(
      (list) =>
        list === tools || (list.length === tools.length && list.every((tool, at) => tool === tools[at])),
    );
    const list = known ?? tools;
    this.#lists = [...this.#lists.filter((other) => other !== list), list].slice(-MAX_LISTS);
    return list;
  }

  async #look(tools: readonly Tool[], thesaurus: Thesaurus): Promise<Visible> {
    await thesaurus.readLexicon();
    const index = this.#index;
    await learn(index, tools);
    const visible = new Visible(index, tools);
    // For ten thousand tools `new Visible` takes as long as the search itself.
    await turn();
    if (index === this.#index) this.#visibleByTools.set(tools, visible);
    return visible;
  }

  /** Keeps the index across changes of the catalogue, unless most of its tools have been removed. */
  #renew(generation: number, count: number): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#lists = [];
    if (this.#index.size <= 2 * count + SPARE) return;
    this.#index = new SearchIndex(this.#stem);
    this.#visibleByTools = new WeakMap();
  }
}

/** The clauses of a query that may each need a different tool: `create a branch and open a pull request`.
 *  Empty if there is only one; clauses of one word are ignored. */
function clausesOf(query: string): readonly string[] {
  const clauses = query.split(CLAUSE_ENDS).filter((clause) => /\S\s+\S/.test(clause.trim()));
  return clauses.length > 1 ? clauses.slice(0, MAX_CLAUSES) : [];
}

/** Indexes new tools, yielding the event loop: ten thousand take half a second. */
async function learn(index: SearchIndex, tools: readonly Tool[]): Promise<void> {
  let count = 0;
  for (const tool of tools) {
    if (index.has(tool)) continue;
    index.placeOf(tool);
    count += 1;
    if (count % LEARNT_AT_ONCE === 0) await turn();
  }
}

function unmatchedOf(slots: readonly Slot[]): readonly string[] {
  return [...new Set(slots.filter(({ isKnown }) => !isKnown).map(({ word }) => word))];
}

function placesWorthShowing(scores: Float64Array): readonly number[] {
  const least = maxOf(scores) * WORTH_SHOWING;
  const places: number[] = [];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > 0 && score >= least) places.push(at);
  }
  return places;
}

function hitsOf(scores: Float64Array, tools: readonly Tool[]): Hits {
  const places = placesWorthShowing(scores);
  // Array.prototype.sort is stable, so ties stay in catalogue order.
  const order = (to: number): readonly number[] =>
    to <= FEW
      ? bestOf(scores, Math.min(to, places.length))
      : places.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return {
    length: places.length,
    slice: (from, to) =>
      order(to)
        .slice(from, to)
        .flatMap((at) => hitOf(tools[at], scores[at] ?? 0)),
  };
}

function hitOf(tool: Tool | undefined, score: number): readonly Hit[] {
  if (tool === undefined) return [];
  return [{ tool, score: Math.max(Math.round(score * 10_000) / 10_000, 0.0001) }];
}
