import { setImmediate as turn } from 'node:timers/promises';
import type { Tool } from 'pegboard';
import { askedObjects } from './acts.ts';
import { bestOf } from './bestOf.ts';
import { clausesOf } from './clausesOf.ts';
import { confidence } from './confidence.ts';
import type { Slot } from './slotsOf.ts';
import { fuse, topOf } from './fuse.ts';
import type { Fused } from './fuse.ts';
import { SearchIndex } from './searchIndex.ts';
import type { InstructionsOf } from './toolFields.ts';
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
  has(tool: Tool): boolean;
}
export interface Ranking {
  readonly hits: Hits;
  /** False when the best match is so weak that there may be no tool for the query. */
  readonly isSure: boolean;
  /** Words of the query that match no visible tool, not even by a stand-in; in the query's order. */
  readonly unmatched: readonly string[];
}

/** Number of hits of each need that are shown in turn: they are found without sorting all. */
const MAX_IN_TURN = 60;
/** How long new tools are indexed before yielding the event loop. */
const LEARNING_MS = 10;
/** Matches below this share of the best score are left out. */
const WORTH_SHOWING = 0.05;
/** Up to this many of the best hits are found without sorting all. */
const FEW = 64;
/** The index may contain this many removed tools more than there are tools. */
const SPARE = 1_000;
/** Score of the best tool of one need, as a share of the best score of the whole query. */
const NEED_WORTH = 0.55;
/** Number of best tools that are lifted. */
const CANDIDATES = 60;
const FEW_CANDIDATES = 20;
/** Least score of a core tool behind others, as a share of their best. */
const CORE_WORTH = 0.3;
/** Share of the significant words of a query about the gateway that are the gateway's own. */
const OWN_SHARE = 0.2;
/** What callers may see differs by toolset and class, of which few are in use at a time. */
const MAX_LISTS = 8;

/** BM25F over everything that a server says about a tool, by meaning and in the full text. Filters are applied first, so hidden tools do not
 *  change a score. Source: requirement filter.query, list.order. */
export class Ranker {
  readonly #stem = createStemmer();
  readonly #instructions: () => InstructionsOf;
  /** Created on the first search: reading its files must not delay the start. */
  #thesaurus: Thesaurus | undefined;
  #index = new SearchIndex(this.#stem);
  #generation: number | undefined;
  /** Search statistics of each list of tools, so that they are computed once. */
  #visibleByTools = new WeakMap<readonly Tool[], Visible>();
  /** The lists of the last searches, the newest last. Callers who do not see all tools have a new list each time, of the same tools. */
  #lists: readonly (readonly Tool[])[] = [];

  /** @param instructions what the servers say about themselves, read before new tools are indexed */
  constructor(instructions: () => InstructionsOf = () => () => undefined) {
    this.#instructions = instructions;
  }

  get thesaurus(): Thesaurus {
    return (this.#thesaurus ??= new Thesaurus(this.#stem));
  }

  /** The rankings of several queries, each in a turn of the event loop of its own. */
  async rankAll(
    texts: readonly string[],
    seen: readonly Tool[],
    generation: number,
  ): Promise<readonly Ranking[]> {
    const rankings: Ranking[] = [];
    for (const text of texts) {
      if (rankings.length > 0) await turn();
      rankings.push(await this.rank(text, seen, generation));
    }
    return rankings;
  }

  async rank(text: string, seen: readonly Tool[], generation: number): Promise<Ranking> {
    // Collapse white space first: every later step would scan long runs of it again.
    const query = text.replace(/\s+/g, ' ').trim();
    this.#renew(generation, seen.length);
    const tools = this.#listOf(seen);
    const { thesaurus } = this;
    const kept = this.#visibleByTools.get(tools);
    const visible = kept?.isCurrent === true ? kept : await this.#look(tools, thesaurus);
    // A search that had to index tools has taken long, so it yields before scoring.
    if (visible !== kept) await turn();
    const parts = { visible, thesaurus };
    const whole = fuse(query, parts, CANDIDATES);
    const scores = whole.scores();
    const best = new Set(whole.best);
    const { top } = topOf(scores, whole.best);
    for (const need of clausesOf(query)) {
      for (const at of raise(scores, NEED_WORTH * top, fuse(need, parts, FEW_CANDIDATES))) best.add(at);
    }
    if (!isAboutGateway(whole.slots, visible, thesaurus)) putCoreLast(scores, visible, top);
    const first = topOf(scores, [...best]);
    const isSure =
      first.at >= 0 &&
      confidence({
        objects: askedObjects(query, thesaurus),
        visible,
        thesaurus,
        at: first.at,
        lead: first.lead,
        fused: whole,
      }) >= 0;
    return {
      hits: hitsOf(scores, first.top, tools),
      isSure,
      unmatched: unmatchedOf(whole.slots),
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
    const places = await learn(index, tools, this.#instructions());
    await turn();
    const visible = new Visible(index, tools, places);
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

/** The hits of several needs in turn: the best of each, then the second of each, without repetitions. */
export function inTurn(rankings: readonly Ranking[]): readonly Hit[] {
  const all = rankings.map(({ hits }) => hits.slice(0, MAX_IN_TURN));
  const hitByTool = new Map<Tool, Hit>();
  for (let rank = 0; rank < MAX_IN_TURN; rank += 1) {
    for (const { [rank]: hit } of all) {
      if (hit !== undefined && !hitByTool.has(hit.tool)) hitByTool.set(hit.tool, hit);
    }
  }
  return [...hitByTool.values()];
}

/** Whether enough words of a query are the gateway's own, and not all of them name other tools. */
function isAboutGateway(slots: readonly Slot[], visible: Visible, thesaurus: Thesaurus): boolean {
  const said = slots.filter(({ isCue }) => !isCue);
  const own = said.filter(({ word }) => thesaurus.isOwnWord(word));
  const isOfOthers = ({ term }: Slot): boolean =>
    visible.namedBy(term).some((at) => visible.tools[at]?.kind !== 'core');
  return own.length > 0 && own.length >= OWN_SHARE * said.length && !own.every(isOfOthers);
}

/** Raises the best tools of one need, even if they do not match the others. @returns them */
function raise(scores: Float32Array, to: number, { best, scoreAt }: Fused): readonly number[] {
  const top = Math.max(0, ...best.map(scoreAt));
  for (const at of best) scores[at] = Math.max(scores[at] ?? 0, (to * scoreAt(at)) / top);
  return best;
}

/** Puts the core tools behind all others, at the lowest score that is shown; those that match much worse are left out. */
function putCoreLast(scores: Float32Array, { core }: Visible, top: number): void {
  const own = core.map((at) => scores[at] ?? 0);
  const best = Math.max(0, ...own);
  if (best === 0) return;
  for (const at of core) scores[at] = 0;
  const others = best < top ? top : maxOf(scores);
  core.forEach((at, i) => {
    const score = own[i] ?? 0;
    if (others === 0) scores[at] = score;
    else if (score >= CORE_WORTH * others) scores[at] = (score * WORTH_SHOWING * others) / best;
  });
}

/** Indexes new tools, yielding the event loop: a hundred thousand take many seconds. @returns the places of all tools */
async function learn(
  index: SearchIndex,
  tools: readonly Tool[],
  instructionsOf: InstructionsOf,
): Promise<Int32Array<ArrayBuffer>> {
  const places = new Int32Array(tools.length);
  let began = performance.now();
  for (const [at, tool] of tools.entries()) {
    places[at] = index.placeOf(tool, instructionsOf);
    if (performance.now() - began < LEARNING_MS) continue;
    await turn();
    began = performance.now();
  }
  return places;
}

function unmatchedOf(slots: readonly Slot[]): readonly string[] {
  return [...new Set(slots.filter(({ isKnown }) => !isKnown).map(({ word }) => word))];
}

function placesWorthShowing(scores: Float32Array, top: number): readonly number[] {
  const least = top * WORTH_SHOWING;
  const places: number[] = [];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > 0 && score >= least) places.push(at);
  }
  return places;
}

function maxOf(numbers: Float32Array): number {
  let most = 0;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

function hitsOf(scores: Float32Array, top: number, tools: readonly Tool[]): Hits {
  const places = placesWorthShowing(scores, top);
  // Array.prototype.sort is stable, so ties stay in catalogue order.
  const order = (to: number): readonly number[] =>
    to <= FEW
      ? bestOf(scores, Math.min(to, places.length))
      : places.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  let shown: ReadonlySet<Tool | undefined> | undefined;
  return {
    length: places.length,
    slice: (from, to) =>
      order(to)
        .slice(from, to)
        .flatMap((at) => hitOf(tools[at], scores[at] ?? 0)),
    has: (tool) => (shown ??= new Set(places.map((at) => tools[at]))).has(tool),
  };
}

function hitOf(tool: Tool | undefined, score: number): readonly Hit[] {
  if (tool === undefined) return [];
  return [{ tool, score: Math.max(Math.round(score * 10_000) / 10_000, 0.0001) }];
}
