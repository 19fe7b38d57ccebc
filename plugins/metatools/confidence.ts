import type { Slot } from './queryTerms.ts';
import type { Visible } from './visible.ts';

/** Of a long sentence only the part that says it best has to be answered. */
const RUN = 3;

/** How likely a tool is what a query means, 0…1, by how much of it the tool answers. Source: discovery/README.md. */
export function confidence(slots: readonly Slot[], visible: Visible, at: number): number {
  const telling = slots.length > RUN ? runsOf(slots) : [slots];
  return Math.max(...telling.map((run) => coverage(run, visible, at)));
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
    const importance = visible.importance(slot);
    asked += importance;
    answered += importance * worthFor(slot, visible, at);
    if (slot.isKnown) known += 1;
  }
  return asked === 0 ? 0 : (answered / asked) * (0.3 + (0.7 * known) / slots.length);
}

function worthFor({ weightByTerm }: Slot, visible: Visible, at: number): number {
  let worth = 0;
  for (const [term, weight] of weightByTerm) {
    if (weight > worth && visible.postings(term).places.some((place) => visible.at(place) === at))
      worth = weight;
  }
  return worth;
}
