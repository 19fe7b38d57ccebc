import { STAGE, definePlugin, readSchema, whenConfigured } from 'pegboard';
import type { Call, Scope } from 'pegboard';
import type { LimitsConfig } from './config.ts';
import { Limits } from './limits.ts';

/** Rates and numbers of running calls per session, caller, server and tool. Costs nothing until one is set. */
export const plugin = definePlugin<LimitsConfig>({
  name: 'limits',
  api: 1,
  configSchema: readSchema('config/limits'),
  enabled: whenConfigured('limits'),
  apply,
});

function apply(scope: Scope<LimitsConfig>): void {
  const limits = new Limits(scope.config);
  const admit = (call: Call): undefined => {
    limits.admit(call, performance.now());
  };
  scope.tap('onCall', admit, STAGE.admit);
  scope.tap('onEvent', (event) => {
    if (event.type === 'call.settled') limits.settle(event.call);
  });
  scope.onReload((next) => limits.adopt(next));
}
