import { STAGE } from 'pegboard';
import type { Call, Scope } from 'pegboard';
import type { LimitsConfig } from './config.ts';
import { Limits } from './limits.ts';

export function apply(scope: Scope<LimitsConfig>): void {
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
