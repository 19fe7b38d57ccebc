import { STAGE, definePlugin } from '../../kernel/index.ts';

/** Trusts the header `x-caller: <issuer> <subject> [<group>,<group>]`, so that tests can act as several callers. */
export const identify = definePlugin({
  name: 'test-identify',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) =>
    scope.tap(
      'onRequest',
      (request) => {
        const [issuer, subject, groups] = request.header('x-caller')?.split(' ') ?? [];
        if (issuer === undefined || subject === undefined) return undefined;
        const claims = groups === undefined ? {} : { claims: { groups: groups.split(',') } };
        request.caller = { issuer, subject, ...claims };
        return undefined;
      },
      STAGE.identify,
    ),
});
