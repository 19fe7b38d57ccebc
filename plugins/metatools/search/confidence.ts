import { isAgainst } from './acts.ts';
import type { Fused } from './fuse.ts';
import type { Slot } from './slotsOf.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { importanceOf, nameShare, progress, share, sum, worthFor, worthsOf } from './share.ts';
import type { Visible } from './visible.ts';

const VALUE_IMPORTANCE = 0.2;
/** Factor when the query names a product that the tool does not match. */
const OTHER_PRODUCT = 0.5;
/** Factor when the tool's act differs from the requested one. */
const OTHER_ACT = 0.3;
/** Factor when the tool's name, title, server and summary do not contain the requested object. */
const OTHER_OBJECT = 0.8;
/** Trust below and above which only the full text, and only the meaning, is asked. */
const TRUST_FROM = 0.4;
const TRUST_TO = 0.6;
/** Idf of a word that one of a hundred tools contains not even once. */
const RARE = Math.log(1 + 100.5 / 0.5);
/** Number of other tools at which a lead counts half. */
const FEW = 2;
/** Weights of a logistic regression over own and public sets; positive sums are confident. The first number of each holds the threshold. */
const BY_MEANING = { base: -6.13, name: 2.5, evidence: 3.2, lead: 1.8, doubts: 2.8 };
const BY_TEXT = { base: -11.2, covered: 1.5, evidence: 10.95, lead: 2.6, doubts: 0.63 };
/** Raises the worth of stand-ins: they are better evidence that a tool exists than which tool it is. */
const WORTH_POWER = 0.75;

export interface Candidate {
  readonly objects: readonly (readonly string[])[];
  readonly visible: Visible;
  readonly thesaurus: Thesaurus;
  /** Index among the visible tools. */
  readonly at: number;
  /** Share of the best score by which the best tool leads. */
  readonly lead: number;
  readonly fused: Fused;
}

/** How probably the first tool is right; confident from 0 on. Where the thesaurus explains much of the query, by how much of the tool's name the query
 *  covers, the evidence and the lead; else by how much of the query the tool matches, and the evidence and the lead in the full text.
 *  Source: requirement filter.confident. */
export function confidence(candidate: Candidate): number {
  const { visible, at, fused } = candidate;
  const { slots } = fused;
  const doubts = doubtsOf(candidate);
  // Among few tools every word seems rare, and a lead over the others says little.
  const rarest = Math.max(visible.rarest, RARE);
  const evidenceOf = (top: number): number => top / (top + rarest);
  const others = (visible.count - 1) / (visible.count + FEW);
  const byMeaning =
    BY_MEANING.base +
    BY_MEANING.name * nameShare(at, worthsOf(slots), visible) +
    BY_MEANING.evidence * evidenceOf(fused.tops.meaning) +
    BY_MEANING.lead * others * candidate.lead +
    BY_MEANING.doubts * doubts;
  const byText =
    BY_TEXT.base +
    BY_TEXT.covered * coverage(answersTo(slots, visible, at)) +
    BY_TEXT.evidence * evidenceOf(fused.tops.text) +
    BY_TEXT.lead * others * fused.textLead +
    BY_TEXT.doubts * doubts;
  const trust = progress(fused.trust, TRUST_FROM, TRUST_TO);
  return trust * byMeaning + (1 - trust) * byText;
}

/** Product of the factors for a product, act or object other than the requested one. */
function doubtsOf(candidate: Candidate): number {
  const { visible, thesaurus, at } = candidate;
  const { acts, slots } = candidate.fused;
  const isOfAnother = slots.some(
    (slot) => thesaurus.isProduct(slot.term) && worthFor(slot, visible, at) === 0,
  );
  return (
    (isOfAnother ? OTHER_PRODUCT : 1) *
    (isAgainst(acts, visible.nameAt(at).stems, thesaurus) ? OTHER_ACT : 1) *
    (isForOthers(candidate) ? OTHER_OBJECT : 1)
  );
}

/** Whether the tool's name, server and summary match none of the requested objects: the first significant word after
 *  each verb that is not a value. */
function isForOthers({ objects, visible, thesaurus, at, fused }: Candidate): boolean {
  const said = fused.slots.filter(({ isCue }) => !isCue);
  const named = said.filter(({ term, isValue }) => !thesaurus.isWeak(term) && !isValue);
  const first = objects.flatMap((words) => named.find(({ word }) => words.includes(word)) ?? []);
  const isOf = ({ weightByTerm }: Slot): boolean =>
    [...weightByTerm.keys()].some((term) => visible.isKnownBy(term, at));
  return first.length > 0 && !first.some(isOf);
}

/** How a tool matches a word of the query. */
interface Answer {
  readonly importance: number;
  readonly worth: number;
  readonly isKnown: boolean;
}

/** The matches of all words; a word that is part of a cue also matches through the cue. */
function answersTo(slots: readonly Slot[], visible: Visible, at: number): readonly Answer[] {
  const worthByCued = new Map<string, number>();
  for (const slot of slots) {
    const worth = slot.isCue ? worthFor(slot, visible, at) : 0;
    for (const one of slot.madeOf) worthByCued.set(one, Math.max(worthByCued.get(one) ?? 0, worth));
  }
  const said = slots.filter(({ isCue }) => !isCue);
  return said.map((slot) => {
    const isFreeValue = slot.isValue && !visible.has(slot.term);
    return {
      importance: importanceOf(slot, visible) * (isFreeValue ? VALUE_IMPORTANCE : 1),
      worth: Math.max(worthFor(slot, visible, at), worthByCued.get(slot.term) ?? 0),
      isKnown: slot.isKnown || isFreeValue,
    };
  });
}

/** Share of the query that the tool matches, weighted by rarity, times a factor for the share of known words. */
function coverage(answers: readonly Answer[]): number {
  const asked = sum(answers, ({ importance }) => importance);
  const answered = sum(answers, ({ importance, worth }) => importance * worth ** WORTH_POWER);
  const known = share(answers.filter(({ isKnown }) => isKnown).length, answers.length);
  return share(answered, asked) * (0.3 + 0.7 * known);
}
