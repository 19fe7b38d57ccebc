import { setTimeout } from 'node:timers/promises';
import { isGatewayError } from 'pegboard';

/** Failures after which another attempt may succeed. */
const PASSING = new Set(['UPSTREAM_UNREACHABLE', 'UPSTREAM_CLOSED']);

/** Repeating a call must not do anything twice. */
function isRepeatable({ tool: { server, annotations } }) {
  return server !== undefined && Boolean(annotations?.readOnlyHint ?? annotations?.idempotentHint);
}

/** @type {import('pegboard').Plugin} */
export const plugin = {
  name: 'retry',
  api: 1,
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      attempts: { description: 'How often a call is made at most.', type: 'integer', minimum: 1, default: 3 },
      waitMs: { description: 'Before another attempt.', type: 'integer', minimum: 0, default: 200 },
    },
  },
  apply(scope) {
    scope.tap('onCall', async (call, next) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await next();
        } catch (error) {
          const mayPass = isGatewayError(error) && PASSING.has(error.code) && isRepeatable(call);
          if (!mayPass || attempt >= scope.config.attempts) throw error;
          await setTimeout(scope.config.waitMs);
        }
      }
    });
    scope.onReload(() => undefined);
  },
};
