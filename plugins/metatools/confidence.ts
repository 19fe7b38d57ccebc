import type { Slot } from './queryTerms.ts';
import { isProduct } from './thesaurus.ts';
import { importanceOf, nameShare, worthFor, worthsOf } from './share.ts';
import type { Visible } from './visible.ts';

/** Of a long sentence only the part that says it best has to be answered. */
const RUN = 3;
const VALUE_IMPORTANCE = 0.2;
/** How much depends on whether the query explains the tool's name as well. */
const NAME_PART = 0.5;
/** What is left of confidence when the query names a product that the tool has nothing to do with. */
const OTHER_PRODUCT = 0.5;
/** A stand-in says more about whether there is a tool than about which one it is. */
const WORTH_POWER = 0.75;

/** How likely a tool is what a query means, 0…1, by how much of it the tool answers. Source: discovery/README.md. */
export function confidence(slots: readonly Slot[], visible: Visible, at: number): number {
  const runs = slots.length > RUN ? runsOf(slots) : [slots];
  const best = Math.max(...runs.map((run) => coverage(run, visible, at)));
  const named = 1 - NAME_PART + NAME_PART * nameShare(at, worthsOf(slots), visible);
  const isOfAnother = slots.some((slot) => isProduct(slot.term) && worthFor(slot, visible, at) === 0);
  return best * named * (isOfAnother ? OTHER_PRODUCT : 1);
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
