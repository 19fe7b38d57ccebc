import type { ReviewFacts, ReviewFinding } from 'pegboard';
import { readWorkflow } from './readWorkflow.ts';
import { WORKFLOW } from './workflowKind.ts';
import { toolUses } from './model.ts';

/** Steps whose tool nobody can bring: the workflow would never be available. */
export function stepReferences({ resources, toolFault }: ReviewFacts<unknown>): readonly ReviewFinding[] {
  return resources
    .filter(({ kind }) => kind === WORKFLOW)
    .flatMap((resource) =>
      toolUses(readWorkflow(resource.name, resource.spec).workflow).flatMap(({ tool, step, path }) => {
        const fault = toolFault(tool);
        if (fault === undefined) return [];
        return [
          { resource, path, message: `step ${step} cannot run: ${fault}`, severity: 'warning' as const },
        ];
      }),
    );
}
