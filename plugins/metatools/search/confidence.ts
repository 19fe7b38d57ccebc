import { isAgainst } from './acts.ts';
import type { Slot } from './slotsOf.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { importanceOf, nameShare, share, sum, worthFor, worthsOf } from './share.ts';
import type { Visible } from './visible.ts';

/** Words per run: of a long sentence only the best matching run must match the tool. */
const RUN = 3;
const VALUE_IMPORTANCE = 0.2;
/** Share of the confidence that depends on the rest of the sentence. */
const WHOLE_PART = 0.3;
/** Share of the confidence that depends on how much of the tool's name the query covers. */
const NAME_PART = 0.5;
/** Factor when the query names a product that the tool does not match. */
const OTHER_PRODUCT = 0.5;
/** Factor when the tool's act differs from the requested one. */
const OTHER_ACT = 0.3;
/** Factor when the tool's name, server and summary do not contain the requested object. */
const OTHER_OBJECT = 0.8;
/** Raises the worth of stand-ins: they are better evidence that a tool exists than which tool it is. */
const WORTH_POWER = 0.75;

export interface Candidate {
  readonly acts: ReadonlySet<string>;
  readonly objects: readonly (readonly string[])[];
  readonly slots: readonly Slot[];
  readonly visible: Visible;
  readonly thesaurus: Thesaurus;
  /** Index among the visible tools. */
  readonly at: number;
  readonly score: number;
}

/** How likely a query means a tool, 0…1, by how much of the query it matches. Source: requirement filter.confident. */
export function confidence(candidate: Candidate): number {
  const { acts, slots, visible, thesaurus, at, score } = candidate;
  const answers = answersTo(slots, visible, at);
  const runs = answers.length > RUN ? runsOf(answers) : [answers];
  const best = Math.max(...runs.map(coverage));
  const whole = 1 - WHOLE_PART + WHOLE_PART * coverage(answers);
  const named = 1 - NAME_PART + NAME_PART * nameShare(at, worthsOf(slots), visible);
  const cued = 1 + Math.max(0, ...slots.map((slot) => cuedNameShare(slot, visible, at)));
  const evidence = score / (score + visible.rarest);
  const isOfAnother = slots.some(
    (slot) => thesaurus.isProduct(slot.term) && worthFor(slot, visible, at) === 0,
  );
  const doubts =
    (isOfAnother ? OTHER_PRODUCT : 1) *
    (isAgainst(acts, visible.nameAt(at).stems, thesaurus) ? OTHER_ACT : 1) *
    (isForOthers(candidate) ? OTHER_OBJECT : 1);
  return best * whole * named * cued * evidence * doubts;
}

/** How much of a tool's name a cue covers: evidence that a fitting tool exists. */
function cuedNameShare({ isCue, weightByTerm }: Slot, visible: Visible, at: number): number {
  return isCue ? nameShare(at, weightByTerm, visible) : 0;
}

/** Whether the tool's name, server and summary match none of the requested objects: the first significant word after
 *  each verb that is not a value. */
function isForOthers({ objects, slots, visible, thesaurus, at }: Candidate): boolean {
  const said = slots.filter(({ isCue }) => !isCue);
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

function runsOf(answers: readonly Answer[]): readonly (readonly Answer[])[] {
  return answers.slice(RUN - 1).map((_, at) => answers.slice(at, at + RUN));
}

/** Share of the query that the tool matches, weighted by rarity, times a factor for the share of known words. */
function coverage(answers: readonly Answer[]): number {
  const asked = sum(answers, ({ importance }) => importance);
  const answered = sum(answers, ({ importance, worth }) => importance * worth ** WORTH_POWER);
  const known = share(answers.filter(({ isKnown }) => isKnown).length, answers.length);
  return share(answered, asked) * (0.3 + 0.7 * known);
}
