import { Command, definePlugin, readSchema } from 'pegboard';

/** The verb `pegboard check`. */
export const plugin = definePlugin({
  name: 'check',
  api: 1,
  configSchema: readSchema('nothing'),
  // Its verb runs on the command line, never inside a gateway.
  enabled: () => false,
  provides: [Command],
  apply: async (scope) => {
    const { check } = await import('./check.ts');
    scope.provide(Command, check);
  },
});
