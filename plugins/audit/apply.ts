import { STAGE, coreTool, structuredResult } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import type { AuditConfig } from './config.ts';
import { Keeper } from './keeper.ts';
import { TrailRecorder } from './trailRecorder.ts';

export function apply(scope: Scope<AuditConfig>): void {
  const keeper: Keeper = new Keeper(scope, () => ({ policy: recorder.policy() }));
  const recorder = new TrailRecorder(scope, (event, isUrgent) => keeper.append(event, isUrgent));
  scope.tap('onCall', (call) => recorder.see(call), STAGE.first);
  scope.tap('onCall', (call) => recorder.begin(call), STAGE.last);
  scope.tap('onEvent', (event) => recorder.hear(event));
  scope.addTool(verifyTool(keeper));
  scope.onStart(() => keeper.start());
  scope.onReload((next) => keeper.adopt(next));
  scope.onStop(() => keeper.stop());
}

function verifyTool(keeper: Keeper): Tool {
  return coreTool({
    name: 'core_audit_verify',
    authority: 'operate',
    description:
      'Verify the audit trail: reads every line and names what was changed, is missing, stands out of order or is signed badly',
    run: async () => structuredResult(await keeper.verify()),
  });
}
