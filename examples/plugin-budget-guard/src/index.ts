import { STAGE, definePlugin, isGatewayError } from 'pegboard';
import { callerKey } from 'pegboard/kit';
import type { Call } from 'pegboard';
import { Budget } from 'pegboard-budget/contract';

/** The key that callers without sign-in share. */
const ANONYMOUS = 'anonymous';

export const plugin = definePlugin<object>({
  name: 'budget-guard',
  api: 1,
  configSchema: { type: 'object', additionalProperties: false },
  requires: [Budget],
  apply(scope) {
    scope.tap(
      'onCall',
      (call) => void (isCounted(call) && scope.get(Budget).spend(keyOf(call))),
      STAGE.admit,
    );
    scope.tap('onEvent', (event) => {
      if (event.type === 'budget.spent')
        scope.log.warn('budget of a caller is spent', { key: event.key, limit: event.limit });
      if (event.type === 'call.settled' && event.outcome === 'error') {
        const { call, error } = event;
        if (isGatewayError(error) && error.code === 'BUDGET_SPENT')
          scope.log.info('call refused', { tool: call.tool.name, limit: error.details.limit });
      }
    });
    scope.onReload(() => undefined);
  },
});

/** Calls of servers' tools and workflows count; meta-tools and core tools are free. */
function isCounted({ tool }: Call): boolean {
  return tool.kind === 'tool' || tool.kind === 'workflow';
}

function keyOf({ request: { caller } }: Call): string {
  return caller === undefined ? ANONYMOUS : callerKey(caller);
}
