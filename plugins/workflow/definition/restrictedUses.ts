import type { Finding, ReviewFacts, ReviewFinding } from 'pegboard';
import type { WorkflowConfig } from '../config.ts';
import type { RestrictedUse, Workflow } from './model.ts';
import { WORKFLOW, workflowOf } from './workflowKind.ts';

/** Uses of restricted template functions that the configuration does not allow. */
export function restrictedUses(
  { restricted }: Workflow,
  { templateFunctions }: WorkflowConfig,
): readonly RestrictedUse[] {
  return restricted.filter(({ functionName }) => !templateFunctions.includes(functionName));
}

/** The same for all workflows, for `pegboard check`. */
export function restrictedInAll({
  resources,
  config,
}: ReviewFacts<WorkflowConfig>): readonly ReviewFinding[] {
  return resources
    .filter(({ kind }) => kind === WORKFLOW)
    .flatMap((resource) =>
      restrictedUses(workflowOf(resource), config).map((use) => ({ resource, ...findingOf(use) })),
    );
}

export function findingOf({ path, message }: RestrictedUse): Finding {
  return { path, message, severity: 'warning' };
}
