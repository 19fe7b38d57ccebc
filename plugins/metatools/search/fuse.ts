import { askedActs } from './acts.ts';
import { bestOf } from './bestOf.ts';
import { lift } from './lift.ts';
import { addByMeaning, addByText, lower } from './score.ts';
import { importanceOf, progress, share, worthFor } from './share.ts';
import { slotsOf } from './slotsOf.ts';
import type { Slot } from './slotsOf.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import type { Visible } from './visible.ts';

/** Weight of the scores by text where those by meaning explain little of the query, and where they explain much. */
const TEXT_MOST = 5;
const TEXT_LEAST = 0.03;
/** Trust in the scores by meaning below and above which the weight does not change. */
const TRUST_FROM = 0.15;
const TRUST_TO = 0.45;
/** The scores by meaning may exceed those by text by this factor to be trusted more. */
const MAX_LEAD = 2;

export interface Fused {
  readonly slots: readonly Slot[];
  readonly acts: ReadonlySet<string>;
  /** The tools of which one is the best, by index among the visible tools. */
  readonly best: readonly number[];
  /** The best score by meaning and the best by text. */
  readonly tops: { readonly meaning: number; readonly text: number };
  /** The lead of the best score by text over the next, as a share of it. */
  readonly textLead: number;
  /** How much of the query the first tool by meaning explains, and how clearly, 0…2. */
  readonly trust: number;
  /** The score of a tool. Valid until the next call of `fuse` with the same visible tools. */
  readonly scoreAt: (at: number) => number;
  /** The scores of all tools, by index. Valid as long. */
  readonly scores: () => Float32Array;
}

/** The scores of a query: those by meaning and those by text, each lifted for its best tools. The more of the query the first tool
 *  by meaning explains, the less the scores by text weigh.
 *  @param candidates number of the best tools of each that are lifted */
export function fuse(
  query: string,
  { visible, thesaurus }: { readonly visible: Visible; readonly thesaurus: Thesaurus },
  candidates: number,
): Fused {
  const slots = slotsOf(query, visible, thesaurus);
  const acts = askedActs(query, thesaurus);
  const { meaning, text, spare } = visible.buffers();
  addByMeaning(slots, visible, { scores: meaning, best: spare });
  addByText(slots, visible, text);
  for (const scores of [meaning, text]) lower(scores, slots, visible);
  // Ties are ordered by name, so that the order of registration has no effect.
  const ranks = visible.nameRanks();
  const isFirst = (at: number, other: number): boolean => (ranks[at] ?? 0) < (ranks[other] ?? 0);
  const best = [...new Set([meaning, text].flatMap((scores) => bestOf(scores, candidates, isFirst)))];
  lift([meaning, text], best, { query, acts, slots, visible, thesaurus });
  const [byMeaning, byText] = [topOf(meaning, best), topOf(text, best)];
  const lead = Math.min(share(byMeaning.top, byText.top) || MAX_LEAD, MAX_LEAD);
  const trust = byMeaning.at < 0 ? 0 : explained(slots, visible, byMeaning.at) * lead;
  const weight = textWeight(trust);
  return {
    slots,
    acts,
    best,
    tops: { meaning: byMeaning.top, text: byText.top },
    textLead: byText.lead,
    trust,
    scoreAt: (at) => ((meaning[at] ?? 0) + weight * (text[at] ?? 0)) / (1 + weight),
    scores: () => blended(meaning, text, weight),
  };
}

function blended(meaning: Float32Array, text: Float32Array, weight: number): Float32Array {
  const scores = new Float32Array(meaning.length);
  for (let at = 0; at < scores.length; at += 1) {
    scores[at] = ((meaning[at] ?? 0) + weight * (text[at] ?? 0)) / (1 + weight);
  }
  return scores;
}

/** The best score of some tools, the first tool with it, and its lead over the next as a share of it. */
export function topOf(
  scores: Float32Array,
  ats: readonly number[],
): { readonly at: number; readonly top: number; readonly lead: number } {
  let [at, top, next] = [-1, 0, 0];
  for (const one of ats) {
    const score = scores[one] ?? 0;
    if (score > top) [at, top, next] = [one, score, top];
    else if (score > next) next = score;
  }
  return { at, top, lead: top === 0 ? 0 : 1 - next / top };
}

function textWeight(trust: number): number {
  const part = progress(trust, TRUST_FROM, TRUST_TO);
  return TEXT_MOST ** (1 - part) * TEXT_LEAST ** part;
}

/** Share of the words of a query that a tool matches, weighted by rarity: by themselves, or as part of a phrase or cue. */
function explained(slots: readonly Slot[], visible: Visible, at: number): number {
  const worthByPart = new Map<string, number>();
  const isJoint = ({ isCue, term }: Slot): boolean => isCue || term.includes(' ');
  for (const slot of slots.filter(isJoint)) {
    const worth = worthFor(slot, visible, at);
    for (const part of slot.isCue ? slot.madeOf : slot.term.split(' '))
      worthByPart.set(part, Math.max(worthByPart.get(part) ?? 0, worth));
  }
  let asked = 0;
  let answered = 0;
  for (const slot of slots) {
    if (isJoint(slot)) continue;
    const importance = importanceOf(slot, visible);
    asked += importance;
    answered += importance * Math.max(worthFor(slot, visible, at), worthByPart.get(slot.term) ?? 0);
  }
  return share(answered, asked);
}
