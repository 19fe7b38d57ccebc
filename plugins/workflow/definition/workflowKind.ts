import { readSchema } from 'pegboard';
import type { Finding, JsonObject, ReadSpec, Resource, ResourceFinding, ResourceKind } from 'pegboard';
import { findingsBeyond } from '../../kit/definitions/findingsBeyond.ts';
import { checkHazards } from './checkHazards.ts';
import { checkTemplates } from './checkTemplates.ts';
import type { ResultSchema } from './checkTemplates.ts';
import { explainMisfits } from './explainMisfits.ts';
import { cycleOf, cycleText } from './cycles.ts';
import { readWorkflow } from './readWorkflow.ts';
import { RESERVED_NAMES, TOOL_PREFIX } from './model.ts';
import type { Workflow } from './model.ts';

export const WORKFLOW = 'Workflow';
const SCHEMA = readSchema('kinds/workflow');
const MAX_NAME_CHARS = 63;

export const workflowKind: ResourceKind = {
  name: WORKFLOW,
  directory: 'workflows',
  schema: SCHEMA,
  explain: (misfits, spec) => [
    ...explainMisfits(misfits, spec),
    ...findingsBeyond(SCHEMA, spec, misfits, (rest) => readChecked(rest, '').findings),
  ],
  read: (spec, name) => readChecked(spec, name),
  relate: refuseCycles,
  toolNames: (_, name) => ({ exact: TOOL_PREFIX + name }),
};

/** Checks that the schema cannot express, with the messages that the interface specifies.
 *  @param resultOf the schema of a tool's result, if it is known */
export function readChecked(
  spec: JsonObject,
  name: string,
  resultOf?: ResultSchema,
): ReadSpec & { readonly model: Workflow } {
  const { workflow, findings } = readWorkflow(name, spec);
  const cycle = cycleOf(workflow, (other) => (other === name ? workflow : undefined));
  const inTemplates = checkTemplates(workflow, resultOf);
  return {
    model: { ...workflow, restricted: inTemplates.filter((one) => 'functionName' in one) },
    findings: [
      ...checkName(name),
      ...findings,
      ...(cycle ? [{ path: cycle.path, message: cycleText(cycle) }] : []),
      ...inTemplates.filter((one) => !('functionName' in one)),
      ...checkHazards(workflow),
    ],
  };
}

/** The model of a definition of this kind. */
export function workflowOf({ model }: Resource): Workflow {
  return model as Workflow;
}

/** Workflows that call one another in a cycle are invalid: their last good versions stay in force. */
function refuseCycles(resources: readonly Resource[]): readonly ResourceFinding[] {
  const workflows = new Map(resources.map((resource) => [resource.name, workflowOf(resource)]));
  return resources.flatMap((resource) => {
    const cycle = cycleOf(workflowOf(resource), (name) => workflows.get(name));
    return cycle === undefined ? [] : [{ resource, path: cycle.path, message: cycleText(cycle) }];
  });
}

function checkName(name: string): readonly Finding[] {
  if (RESERVED_NAMES.includes(name)) {
    const message = `the name ${name} is reserved for a management tool (core_workflow_${name}); choose another`;
    return [{ path: ['name'], message }];
  }
  if (name.length <= MAX_NAME_CHARS) return [];
  return [
    { path: ['name'], message: `the name is over ${MAX_NAME_CHARS} characters long; choose a shorter one` },
  ];
}
