import { STAGE } from 'pegboard';
import type { Scope } from 'pegboard';
import type { AuditConfig } from './config.ts';
import { Keeper } from './keeper.ts';
import { TrailRecorder } from './trailRecorder.ts';
import { verifyTool } from './verifyTool.ts';

/** Runs before every stage, so that refusals of other plugins are recorded too. */
const FIRST = 0;

export function apply(scope: Scope<AuditConfig>): void {
  const keeper: Keeper = new Keeper(scope, () => ({ policy: recorder.policy() }));
  const recorder = new TrailRecorder(scope, (event, isUrgent) => keeper.append(event, isUrgent));
  scope.tap('onCall', (call) => recorder.see(call), FIRST);
  scope.tap('onCall', (call) => recorder.begin(call), STAGE.last);
  scope.tap('onEvent', (event) => recorder.hear(event));
  scope.addTool(verifyTool(keeper));
  scope.onStart(() => keeper.start());
  scope.onReload((next) => keeper.adopt(next));
  scope.onStop(() => keeper.stop());
}
