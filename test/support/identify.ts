import { STAGE, definePlugin } from '../../kernel/index.ts';

/** Trusts the header `x-caller: <issuer> <subject>`, so that tests can act as several callers. */
export const identify = definePlugin({
  name: 'test-identify',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) =>
    scope.tap(
      'onRequest',
      (request) => {
        const [issuer, subject] = request.header('x-caller')?.split(' ') ?? [];
        if (issuer !== undefined && subject !== undefined) request.caller = { issuer, subject };
        return undefined;
      },
      STAGE.identify,
    ),
});
