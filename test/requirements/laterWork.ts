import type { Requirement } from './requirement.ts';

/** Sentences of planned features, grouped by the work that will add them. */
export const LATER_WORK: readonly Requirement[] = [
  ...later('deployment chart', {
    'orchestrator.role':
      'A deployment role allowing workflow edits is bound to all authenticated users by default (narrowable).',
    'orchestrator.chart': 'The deployment chart binds to 0.0.0.0 by default.',
  }),
];

function later(work: string, sentences: Readonly<Record<string, string>>): readonly Requirement[] {
  return Object.entries(sentences).map(([id, sentence]) => ({ id, sentence, later: work }));
}
