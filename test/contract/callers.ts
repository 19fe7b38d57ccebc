import { STAGE, definePlugin } from 'pegboard';
import { Route } from '../../plugins/contracts/http.ts';

export const OTHER_SURFACE = 'x-contract-caller';

/** Two routes that answer with the caller, and another auth surface that trusts its header. */
export const plugin = definePlugin<object>({
  name: 'contract-callers',
  api: 1,
  configSchema: { type: 'object', additionalProperties: false },
  provides: [Route],
  apply(scope) {
    for (const access of ['caller', 'public'] as const) {
      scope.provide(Route, {
        method: 'GET',
        path: `/contract/${access}`,
        access,
        handle: (_, { caller }) => ({ status: 200, body: { subject: caller?.subject ?? null } }),
      });
    }
    const identify = STAGE.identify - 1;
    scope.tap(
      'onRequest',
      (request) => {
        const subject = request.header(OTHER_SURFACE);
        if (subject !== undefined) request.caller = { subject };
        return undefined;
      },
      identify,
    );
  },
});
