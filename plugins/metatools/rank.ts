import { setImmediate as turn } from 'node:timers/promises';
import type { Tool } from 'pegboard';
import { clausesOf } from './clauses.ts';
import { confidence } from './confidence.ts';
import { slotsOf } from './queryTerms.ts';
import type { Slot } from './queryTerms.ts';
import { FIELDS, SearchIndex, countIn } from './searchIndex.ts';
import type { Postings } from './searchIndex.ts';
import { stem } from './stem.ts';
import { Visible } from './visible.ts';

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
  /** Words of the query that no visible tool holds, nor anything that stands for them; in the query's order. */
  readonly unmatched: readonly string[];
}

/** A clause's best tool comes this close to the best of the whole query. */
const CLAUSE_WORTH = 0.9;

/** New tools that the index reads before others get their turn. */
const LEARNT_AT_ONCE = 500;
const NAME = FIELDS.indexOf('name');
const SURE_FROM = 0.5;
/** Below this share of the best score a match says nothing. */
const WORTH_SHOWING = 0.1;
/** Places of the index that tools which are gone may hold. */
const SPARE = 1_000;
const UNASKED_ACT_WORTH = 0.9;
const DESTRUCTIVE_ACTS = ['delete', 'remove', 'drop', 'destroy', 'clear', 'purge'].map(stem);

/** BM25F over name, server, summary, details and parameter names; filters come before it, so what a request may not see
 *  changes no score. Source: aggregator.md 2.4, discovery/README.md. */
export class Ranker {
  #index = new SearchIndex();
  #generation: number | undefined;

  async rank(query: string, tools: readonly Tool[], generation: number): Promise<Ranking> {
    this.#renew(generation, tools.length);
    const index = this.#index;
    await learn(index, tools);
    const visible = new Visible(index, tools);
    const slots = slotsOf(query, visible);
    const scores = scoresOf(slots, visible);
    for (const clause of clausesOf(query)) raise(scores, scoresOf(slotsOf(clause, visible), visible));
    lower(scores, slots, visible);
    const hits = hitsOf(tools, scores);
    const [best] = hits;
    const sureness = best === undefined ? 0 : confidence(slots, visible, tools.indexOf(best.tool));
    return { hits, isSure: sureness >= SURE_FROM, unmatched: unmatchedOf(slots) };
  }

  /** An index outlives the catalogue's changes, but not when most of what it holds is gone. */
  #renew(generation: number, count: number): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    if (this.#index.size > 2 * count + SPARE) this.#index = new SearchIndex();
  }
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

function hitsOf(tools: readonly Tool[], scores: Float64Array): Hit[] {
  const least = maxOf(scores) * WORTH_SHOWING;
  const hits: Hit[] = [];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    const tool = tools[at];
    if (tool === undefined || score === 0 || score < least) continue;
    hits.push({ tool, score: Math.max(Math.round(score * 10_000) / 10_000, 0.0001) });
  }
  // Array.prototype.sort is stable, so ties stay in catalogue order.
  return hits.sort((a, b) => b.score - a.score);
}

function scoresOf(slots: readonly Slot[], visible: Visible): Float64Array {
  const scores = new Float64Array(visible.count);
  for (const slot of slots) addSlot(slot, scores, visible);
  return scores;
}

/** A slot counts once per tool, by the stand-in that fits best; all stand-ins are as rare as the word they stand for. */
function addSlot({ term, weight, weightByTerm }: Slot, scores: Float64Array, visible: Visible): void {
  const isKnown = visible.has(term);
  const best = new Float64Array(visible.count);
  for (const [standIn, worth] of weightByTerm) {
    const most = weight * worth * visible.idf(isKnown ? term : standIn);
    const { places, counts } = visible.postings(standIn);
    for (let i = 0; i < places.length; i += 1) {
      const place = places[i] ?? 0;
      const at = visible.at(place);
      const score = most * visible.fit(place, counts[i] ?? 0);
      const former = best[at] ?? 0;
      if (score <= former) continue;
      scores[at] = (scores[at] ?? 0) + score - former;
      best[at] = score;
    }
  }
}

/** Who did not say delete hardly means it: a tool whose name says it then comes later. */
function lower(scores: Float64Array, slots: readonly Slot[], visible: Visible): void {
  const unasked = DESTRUCTIVE_ACTS.filter((act) => !slots.some(({ weightByTerm }) => weightByTerm.has(act)));
  const lowered = new Set(unasked.flatMap((act) => placesWithName(visible.postings(act))));
  for (const place of lowered)
    scores[visible.at(place)] = (scores[visible.at(place)] ?? 0) * UNASKED_ACT_WORTH;
}

function placesWithName({ places, counts }: Postings): readonly number[] {
  return places.filter((_, at) => countIn(counts[at] ?? 0, NAME) > 0);
}

/** Lifts what answers one clause well, however little it has to do with the others. */
function raise(scores: Float64Array, clauseScores: Float64Array): void {
  const top = maxOf(scores);
  const clauseTop = maxOf(clauseScores);
  if (clauseTop === 0) return;
  const factor = (CLAUSE_WORTH * top) / clauseTop;
  clauseScores.forEach((score, at) => {
    if (score * factor > (scores[at] ?? 0)) scores[at] = score * factor;
  });
}

function maxOf(numbers: Float64Array): number {
  let most = 0;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
