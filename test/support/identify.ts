import { STAGE, definePlugin } from '../../kernel/index.ts';

/** Trusts the header `x-caller: <issuer> <subject>`: enough to be two people. */
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
