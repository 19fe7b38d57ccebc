import type { Issue, Resource, ResourceDraft } from 'pegboard';
import { cycleOf, cycleText } from './cycles.ts';
import { readWorkflow } from './readWorkflow.ts';
import { WORKFLOW } from './workflowKind.ts';
import type { Workflow } from './model.ts';

/** Workflows that call one another in a circle count as broken: their last good versions stay. */
export function refuseCycles(draft: ResourceDraft): ResourceDraft {
  const workflows = new Map<string, Workflow>();
  for (const { kind, name, spec } of draft.resources)
    if (kind === WORKFLOW) workflows.set(name, readWorkflow(name, spec).workflow);
  const issues: Issue[] = [];
  const broken: Resource[] = [];
  for (const resource of draft.resources) {
    const workflow = resource.kind === WORKFLOW ? workflows.get(resource.name) : undefined;
    const cycle = workflow && cycleOf(workflow, (name) => workflows.get(name));
    // A workflow that calls itself alone is found by the check of its kind.
    if (cycle === undefined || cycle.names.length <= 2) continue;
    broken.push(resource);
    const message = `${WORKFLOW} ${resource.name}: ${cycleText(cycle)}`;
    issues.push({
      severity: 'error',
      code: 'CONFIG_INVALID',
      message,
      ...resource.origin.locate(cycle.path),
    });
  }
  if (broken.length === 0) return draft;
  return {
    resources: draft.resources.filter((resource) => !broken.includes(resource)),
    unreadable: [...draft.unreadable, ...broken.map(({ kind, name }) => ({ kind, name }))],
    issues: [...draft.issues, ...issues],
  };
}
