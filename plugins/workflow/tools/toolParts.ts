import type { Scope } from 'pegboard';
import type { WorkflowConfig } from '../config.ts';
import type { WorkflowEvents } from '../run/workflowEvents.ts';
import type { Executions } from '../records/executions.ts';
import type { Registry } from '../registry.ts';
import type { Runs } from '../runs.ts';

/** The parts of the plugin that the core tools use. */
export interface ToolParts {
  readonly scope: Scope<WorkflowConfig>;
  readonly config: () => WorkflowConfig;
  readonly registry: Registry;
  readonly runs: Runs;
  readonly events: WorkflowEvents;
  readonly executions: Executions;
}
