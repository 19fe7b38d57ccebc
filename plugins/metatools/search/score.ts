import type { Slot } from './slotsOf.ts';
import { stem } from './thesaurus/stem.ts';
import { DAMPING } from './visible.ts';
import type { Matches, Visible } from './visible.ts';

/** Weight of further matching stand-ins of a phrase or cue, whose stand-ins all belong to its meaning. */
const FURTHER_WORTH = 0.8;
const UNASKED_ACT_WORTH = 0.9;
const DESTRUCTIVE_ACTS = ['delete', 'remove', 'drop', 'destroy', 'clear', 'purge'].map(stem);

/** Adds the scores by meaning: BM25F of words, phrases and cues with their stand-ins.
 *  @param scores by index among the visible tools @param best zeros, as they are again afterwards */
export function addByMeaning(
  slots: readonly Slot[],
  visible: Visible,
  { scores, best }: { readonly scores: Float32Array; readonly best: Float32Array },
): void {
  for (const slot of slots) {
    if (slot.weightByTerm.size === 1) addOnly(slot, scores, visible);
    else addBest(slot, { scores, best }, visible);
  }
}

/** Adds the scores by text: BM25F of the query's own words, without stand-ins. */
export function addByText(slots: readonly Slot[], visible: Visible, scores: Float32Array): void {
  for (const { term, isCue } of slots) {
    if (isCue || !visible.has(term)) continue;
    const { places, textFits } = visible.matches(term);
    add(scores, { places, fits: textFits }, visible.idf(term));
  }
}

function addOnly(slot: Slot, scores: Float32Array, visible: Visible): void {
  for (const [standIn, worth] of slot.weightByTerm)
    add(scores, visible.matches(standIn), fullScore(slot, [standIn, worth], visible));
}

function add(scores: Float32Array, { places, fits }: Pick<Matches, 'places' | 'fits'>, full: number): void {
  for (let i = 0; i < places.length; i += 1) {
    const at = places[i] ?? 0;
    scores[at] = (scores[at] ?? 0) + full * (fits[i] ?? 0);
  }
}

/** A stand-in is weighted by its rarity and that of the query word. */
function fullScore(
  { term, weight }: Slot,
  [standIn, worth]: readonly [string, number],
  visible: Visible,
): number {
  const rarity = Math.sqrt(visible.idf(standIn) * visible.idf(visible.has(term) ? term : standIn));
  return (weight * worth * rarity) ** DAMPING;
}

/** A word counts once per tool, by its best matching stand-in; a phrase or cue also by its other stand-ins. */
function addBest(
  slot: Slot,
  { scores, best }: { readonly scores: Float32Array; readonly best: Float32Array },
  visible: Visible,
): void {
  const further = slot.term.includes(' ') ? FURTHER_WORTH : 0;
  for (const standIn of slot.weightByTerm) {
    const full = fullScore(slot, standIn, visible);
    const { places, fits } = visible.matches(standIn[0]);
    for (let i = 0; i < places.length; i += 1) {
      const at = places[i] ?? 0;
      const score = full * (fits[i] ?? 0);
      const former = best[at] ?? 0;
      const most = score > former ? score : former;
      scores[at] = (scores[at] ?? 0) + most - former + further * (score + former - most);
      best[at] = most;
    }
  }
  for (const term of slot.weightByTerm.keys()) {
    const { places } = visible.matches(term);
    for (let i = 0; i < places.length; i += 1) best[places[i] ?? 0] = 0;
  }
}

/** Lowers destructive tools if the query has no destructive verb. */
export function lower(scores: Float32Array, slots: readonly Slot[], visible: Visible): void {
  const unasked = DESTRUCTIVE_ACTS.filter((act) => !slots.some(({ weightByTerm }) => weightByTerm.has(act)));
  for (const act of unasked) {
    for (const at of visible.namedBy(act)) scores[at] = (scores[at] ?? 0) * UNASKED_ACT_WORTH;
  }
}
