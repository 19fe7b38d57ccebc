import type { Slot } from './slotsOf.ts';
import { stem } from './thesaurus/stem.ts';
import { DAMPING } from './visible.ts';
import type { Visible } from './visible.ts';

/** A clause's best tool comes this close to the best of the whole query. */
const CLAUSE_WORTH = 0.4;
/** What is left of further stand-ins that a tool holds, where several words were said together: they mean all of them. */
const FURTHER_WORTH = 0.8;
const UNASKED_ACT_WORTH = 0.9;
const DESTRUCTIVE_ACTS = ['delete', 'remove', 'drop', 'destroy', 'clear', 'purge'].map(stem);

/** BM25F, by place among the visible tools. */
export function scoresOf(slots: readonly Slot[], visible: Visible): Float64Array {
  const scores = new Float64Array(visible.count);
  const best = new Float64Array(visible.count);
  for (const slot of slots) addSlot(slot, { scores, best }, visible);
  return scores;
}

/** A word counts once per tool, by the stand-in that fits best, a phrase or cue by the others as well; all stand-ins are as
 *  rare as the word they stand for. */
function addSlot(
  { term, weight, weightByTerm }: Slot,
  { scores, best }: { readonly scores: Float64Array; readonly best: Float64Array },
  visible: Visible,
): void {
  const isKnown = visible.has(term);
  const further = term.includes(' ') ? FURTHER_WORTH : 0;
  best.fill(0);
  for (const [standIn, worth] of weightByTerm) {
    const rarity = Math.sqrt(visible.idf(standIn) * visible.idf(isKnown ? term : standIn));
    const full = (weight * worth * rarity) ** DAMPING;
    const { places, fits } = visible.matches(standIn);
    for (let i = 0; i < places.length; i += 1) {
      const at = places[i] ?? 0;
      const score = full * (fits[i] ?? 0);
      const former = best[at] ?? 0;
      const most = Math.max(score, former);
      scores[at] = (scores[at] ?? 0) + most - former + further * (score + former - most);
      best[at] = most;
    }
  }
}

/** Lifts what answers one clause well, however little it has to do with the others. */
export function raise(scores: Float64Array, clauseScores: Float64Array): void {
  const clauseTop = maxOf(clauseScores);
  if (clauseTop === 0) return;
  const factor = (CLAUSE_WORTH * maxOf(scores)) / clauseTop;
  clauseScores.forEach((score, at) => {
    if (score * factor > (scores[at] ?? 0)) scores[at] = score * factor;
  });
}

/** Who did not say delete hardly means it: a tool whose name says it then comes later. */
export function lower(scores: Float64Array, slots: readonly Slot[], visible: Visible): void {
  const unasked = DESTRUCTIVE_ACTS.filter((act) => !slots.some(({ weightByTerm }) => weightByTerm.has(act)));
  for (const act of unasked) {
    for (const at of visible.namedBy(act)) scores[at] = (scores[at] ?? 0) * UNASKED_ACT_WORTH;
  }
}

export function maxOf(numbers: Float64Array): number {
  let most = 0;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
