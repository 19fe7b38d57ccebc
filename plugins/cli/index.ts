import { Command, definePlugin, readSchema } from 'pegboard';

/** The verbs of the command line that talk to a gateway. */
export const plugin = definePlugin({
  name: 'cli',
  api: 1,
  configSchema: readSchema('nothing'),
  // Its verbs run on the command line, never inside a gateway.
  enabled: () => false,
  provides: [Command],
  apply: async (scope) => {
    const { VERBS } = await import('./verbs.ts');
    for (const verb of VERBS) scope.provide(Command, verb);
  },
});
