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
/** Best first; ties in catalogue order. Only the hits that are asked for are sorted and made. */
export interface Hits {
  readonly length: number;
  slice(from: number, to: number): readonly Hit[];
}
export interface Ranking {
  readonly hits: Hits;
  /** False when the best match is so weak that there may be no tool for the query. */
  readonly isSure: boolean;
  /** Words of the query that no visible tool holds, nor anything that stands for them; in the query's order. */
  readonly unmatched: readonly string[];
}

/** New tools that the index reads before others get their turn. */
const LEARNT_AT_ONCE = 25;
const SURE_FROM = 0.28;
/** Below this share of the best score a match says nothing. */
const WORTH_SHOWING = 0.1;
/** So many of the best are found without sorting all. */
const FEW = 64;
/** Places of the index that tools which are gone may hold. */
const SPARE = 1_000;
const CLAUSE_ENDS = /[,;.!?]\s|\s(?:and|then|und|et|y)\s/i;
const MAX_CLAUSES = 4;

/** BM25F over name, server, summary, details and parameter names; filters come before it, so what a request may not see
 *  changes no score. Source: aggregator.md 2.4, discovery/README.md. */
export class Ranker {
  readonly #stem = createStemmer();
  /** Made with the first search: reading its files must not delay the start. */
  #thesaurus: Thesaurus | undefined;
  #index = new SearchIndex(this.#stem);
  #generation: number | undefined;
  /** Callers that see the same tools give the same array: it is looked through once. */
  #visibleByTools = new WeakMap<readonly Tool[], Visible>();

  async rank(text: string, tools: readonly Tool[], generation: number): Promise<Ranking> {
    // Long runs of space would be gone through again and again.
    const query = text.replace(/\s+/g, ' ').trim();
    this.#renew(generation, tools.length);
    const thesaurus = (this.#thesaurus ??= new Thesaurus(this.#stem));
    const kept = this.#visibleByTools.get(tools);
    const visible = kept?.isCurrent === true ? kept : await this.#look(tools, thesaurus);
    const slots = slotsOf(query, visible, thesaurus);
    const scores = scoresOf(slots, visible);
    // The first search reads what later ones find ready.
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

  async #look(tools: readonly Tool[], thesaurus: Thesaurus): Promise<Visible> {
    await thesaurus.readLexicon();
    const index = this.#index;
    await learn(index, tools);
    const visible = new Visible(index, tools);
    // Of ten thousand tools it takes as long as the search that follows.
    await turn();
    if (index === this.#index) this.#visibleByTools.set(tools, visible);
    return visible;
  }

  /** An index outlives the catalogue's changes, but not when most of what it holds is gone. */
  #renew(generation: number, count: number): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    if (this.#index.size <= 2 * count + SPARE) return;
    this.#index = new SearchIndex(this.#stem);
    this.#visibleByTools = new WeakMap();
  }
}

/** The parts of a query that may each ask for a tool of its own: `create a branch and open a pull request`.
 *  Empty when there is only one; a part of one word says too little. */
function clausesOf(query: string): readonly string[] {
  const clauses = query.split(CLAUSE_ENDS).filter((clause) => /\S\s+\S/.test(clause.trim()));
  return clauses.length > 1 ? clauses.slice(0, MAX_CLAUSES) : [];
}

/** Ten thousand new tools take half a second to read: others get their turn meanwhile. */
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
