import { isAgainst } from './acts.ts';
import type { Slot } from './slotsOf.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { importanceOf, nameShare, share, sum, worthFor, worthsOf } from './share.ts';
import type { Visible } from './visible.ts';

/** Of a long sentence only the part that says it best has to be answered. */
const RUN = 3;
const VALUE_IMPORTANCE = 0.2;
/** How much depends on the rest of the sentence. */
const WHOLE_PART = 0.3;
/** How much depends on whether the query explains the tool's name as well. */
const NAME_PART = 0.5;
/** What is left of confidence when the query names a product that the tool has nothing to do with. */
const OTHER_PRODUCT = 0.5;
/** The same when the tool does another kind of thing than is asked. */
const OTHER_ACT = 0.3;
/** The same when the tool is not known by what it is to be done to. */
const OTHER_OBJECT = 0.8;
/** A stand-in says more about whether there is a tool than about which one it is. */
const WORTH_POWER = 0.75;

export interface Candidate {
  readonly acts: ReadonlySet<string>;
  readonly objects: readonly (readonly string[])[];
  readonly slots: readonly Slot[];
  readonly visible: Visible;
  readonly thesaurus: Thesaurus;
  /** Its place among the visible tools. */
  readonly at: number;
  readonly score: number;
}

/** How likely a tool is what a query means, 0…1, by how much of it the tool answers. Source: discovery/README.md. */
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

/** A cue that explains much of a tool's name says that there is a tool. */
function cuedNameShare({ isCue, weightByTerm }: Slot, visible: Visible, at: number): number {
  return isCue ? nameShare(at, weightByTerm, visible) : 0;
}

/** Whether a tool is known by none of the first words after each verb that say something and are no value. */
function isForOthers({ objects, slots, visible, thesaurus, at }: Candidate): boolean {
  const said = slots.filter(({ isCue }) => !isCue);
  const named = said.filter(({ term, isValue }) => !thesaurus.isWeak(term) && !isValue);
  const first = objects.flatMap((words) => named.find(({ word }) => words.includes(word)) ?? []);
  const isOf = ({ weightByTerm }: Slot): boolean =>
    [...weightByTerm.keys()].some((term) => visible.isKnownBy(term, at));
  return first.length > 0 && !first.some(isOf);
}

/** How a tool answers a word of the query. */
interface Answer {
  readonly importance: number;
  readonly worth: number;
  readonly isKnown: boolean;
}

/** A word that makes a cue is answered by what answers the cue as well. */
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

/** Share of what is asked that the tool answers, by rarity of the words, times how many of the words are known. */
function coverage(answers: readonly Answer[]): number {
  const asked = sum(answers, ({ importance }) => importance);
  const answered = sum(answers, ({ importance, worth }) => importance * worth ** WORTH_POWER);
  const known = share(answers.filter(({ isKnown }) => isKnown).length, answers.length);
  return share(answered, asked) * (0.3 + 0.7 * known);
}
