import { isAgainst } from './acts.ts';
import type { Slot } from './queryTerms.ts';
import { isProduct, isWeak } from './thesaurus.ts';
import { importanceOf, nameShare, worthFor, worthsOf } from './share.ts';
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
const OTHER_ACT = 0.6;
/** The same when the tool is not known by what it is to be done to. */
const OTHER_OBJECT = 0.8;
/** A stand-in says more about whether there is a tool than about which one it is. */
const WORTH_POWER = 0.75;

export interface Candidate {
  readonly acts: ReadonlySet<string>;
  readonly objects: readonly (readonly string[])[];
  readonly slots: readonly Slot[];
  readonly visible: Visible;
  /** Its place among the visible tools. */
  readonly at: number;
  readonly score: number;
}

/** How likely a tool is what a query means, 0…1, by how much of it the tool answers. Source: discovery/README.md. */
export function confidence({ acts, objects, slots, visible, at, score }: Candidate): number {
  const said = slots.filter(({ isCue }) => !isCue);
  const runs = said.length > RUN ? runsOf(said) : [said];
  const best = Math.max(...runs.map((run) => coverage(run, visible, at)));
  const whole = 1 - WHOLE_PART + WHOLE_PART * coverage(said, visible, at);
  const named = 1 - NAME_PART + NAME_PART * nameShare(at, worthsOf(slots), visible);
  const cued = 1 + Math.max(0, ...slots.map((slot) => cuedNameShare(slot, visible, at)));
  const evidence = score / (score + visible.rarest);
  const isOfAnother = slots.some((slot) => isProduct(slot.term) && worthFor(slot, visible, at) === 0);
  const doubts =
    (isOfAnother ? OTHER_PRODUCT : 1) *
    (isAgainst(acts, visible.nameAt(at).stems) ? OTHER_ACT : 1) *
    (isForOthers(
      objects.flatMap((words) => objectIn(words, said)),
      visible,
      at,
    )
      ? OTHER_OBJECT
      : 1);
  return best * whole * named * cued * evidence * doubts;
}

/** A cue says little about whether there is a tool, unless it explains much of one's name. */
function cuedNameShare({ isCue, weightByTerm }: Slot, visible: Visible, at: number): number {
  return isCue ? nameShare(at, weightByTerm, visible) : 0;
}

/** The first of the words that says something and is no value. */
function objectIn(words: readonly string[], slots: readonly Slot[]): readonly Slot[] {
  const isObject = ({ word, term, isValue }: Slot): boolean =>
    words.includes(word) && !isWeak(term) && !isValue;
  return slots.filter(isObject).slice(0, 1);
}

function isForOthers(objects: readonly Slot[], visible: Visible, at: number): boolean {
  const isOf = ({ weightByTerm }: Slot): boolean =>
    [...weightByTerm.keys()].some((term) => visible.isKnownBy(term, at));
  return objects.length > 0 && !objects.some(isOf);
}

function runsOf(slots: readonly Slot[]): readonly (readonly Slot[])[] {
  return slots.slice(RUN - 1).map((_, at) => slots.slice(at, at + RUN));
}

/** Share of what is asked that the tool answers, by rarity of the words, times how many of the words are known. */
function coverage(slots: readonly Slot[], visible: Visible, at: number): number {
  let asked = 0;
  let answered = 0;
  let known = 0;
  for (const slot of slots) {
    const isFreeValue = slot.isValue && !visible.has(slot.term);
    const importance = importanceOf(slot, visible) * (isFreeValue ? VALUE_IMPORTANCE : 1);
    asked += importance;
    answered += importance * worthFor(slot, visible, at) ** WORTH_POWER;
    if (slot.isKnown || isFreeValue) known += 1;
  }
  return asked === 0 ? 0 : (answered / asked) * (0.3 + (0.7 * known) / slots.length);
}
