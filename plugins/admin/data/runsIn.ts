import { GatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { WorkflowRuns } from '../../contracts/runs.ts';

/** The runs of all callers. @throws GatewayError PLUGIN_MISSING */
export function runsIn(scope: Scope<unknown>): WorkflowRuns {
  const runs = scope.find(WorkflowRuns);
  if (runs !== undefined) return runs;
  throw new GatewayError('PLUGIN_MISSING', 'there are no workflows here; switch on the plugin workflow');
}
