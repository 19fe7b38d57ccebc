import { readSchema } from 'pegboard';
import type { Finding, JsonObject, ResourceKind } from 'pegboard';
import { checkTemplates } from './checkTemplates.ts';
import { cycleOf, cycleText } from './cycles.ts';
import { readWorkflow } from './readWorkflow.ts';
import { RESERVED_NAMES, TOOL_PREFIX } from './model.ts';

export const WORKFLOW = 'Workflow';
const MAX_NAME_CHARS = 63;

export const workflowKind: ResourceKind = {
  name: WORKFLOW,
  directory: 'workflows',
  schema: readSchema('kinds/workflow'),
  check: checkWorkflow,
  toolNames: (_, name) => ({ exact: TOOL_PREFIX + name }),
};

/** What the schema cannot say; in the words that clients of the interface know. */
function checkWorkflow(spec: JsonObject, name: string): readonly Finding[] {
  const { workflow, findings } = readWorkflow(name, spec);
  const cycle = cycleOf(workflow, (other) => (other === name ? workflow : undefined));
  return [
    ...checkName(name),
    ...findings,
    ...(cycle ? [{ path: cycle.path, message: cycleText(cycle) }] : []),
    ...checkTemplates(workflow),
  ];
}

function checkName(name: string): readonly Finding[] {
  if (RESERVED_NAMES.includes(name)) {
    const message = `the name ${name} is that of a management tool (core_workflow_${name}); choose another`;
    return [{ path: ['name'], message }];
  }
  if (name.length <= MAX_NAME_CHARS) return [];
  return [
    { path: ['name'], message: `the name is over ${MAX_NAME_CHARS} characters long; choose a shorter one` },
  ];
}
