import type { Slot } from './slotsOf.ts';
import { stem } from './thesaurus/stem.ts';
import { DAMPING } from './visible.ts';
import type { Visible } from './visible.ts';

/** Score of a clause's best tool, as a share of the best score of the whole query. */
const CLAUSE_WORTH = 0.4;
/** Weight of further matching stand-ins of a phrase or cue, whose stand-ins all belong to its meaning. */
const FURTHER_WORTH = 0.8;
const UNASKED_ACT_WORTH = 0.9;
const DESTRUCTIVE_ACTS = ['delete', 'remove', 'drop', 'destroy', 'clear', 'purge'].map(stem);

/** BM25F scores, by index among the visible tools. */
export function scoresOf(slots: readonly Slot[], visible: Visible): Float64Array {
  const scores = new Float64Array(visible.count);
  const best = new Float64Array(visible.count);
  for (const slot of slots) addSlot(slot, { scores, best }, visible);
  return scores;
}

/** A word counts once per tool, by its best matching stand-in; a phrase or cue also by its other stand-ins. A stand-in
 *  is weighted by its rarity and that of the query word. */
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

/** Raises tools that match one clause well, even if they do not match the others. */
export function raise(scores: Float64Array, clauseScores: Float64Array): void {
  const clauseTop = maxOf(clauseScores);
  if (clauseTop === 0) return;
  const factor = (CLAUSE_WORTH * maxOf(scores)) / clauseTop;
  clauseScores.forEach((score, at) => {
    if (score * factor > (scores[at] ?? 0)) scores[at] = score * factor;
  });
}

/** Lowers destructive tools if the query has no destructive verb. */
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
