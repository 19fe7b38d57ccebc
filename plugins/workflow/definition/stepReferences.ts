import type { ReviewFacts, ReviewFinding } from 'pegboard';
import { WORKFLOW, workflowOf } from './workflowKind.ts';
import { toolUses } from './model.ts';

/** Reports steps whose tool no configured server can provide: the workflow would never be available. */
export function stepReferences({ resources, toolFault }: ReviewFacts<unknown>): readonly ReviewFinding[] {
  return resources
    .filter(({ kind }) => kind === WORKFLOW)
    .flatMap((resource) =>
      toolUses(workflowOf(resource)).flatMap(({ tool, step, path }) => {
        const fault = toolFault(tool);
        if (fault === undefined) return [];
        return [
          { resource, path, message: `step ${step} cannot run: ${fault}`, severity: 'warning' as const },
        ];
      }),
    );
}
