import { Command, definePlugin, readSchema } from 'pegboard';

/** The verb `pegboard stdio`, by which a stdio server in a pod of its own is reached. */
export const plugin = definePlugin({
  name: 'pod-bridge',
  api: 1,
  configSchema: readSchema('nothing'),
  // Its verb runs in the pods of servers, never inside a gateway.
  enabled: () => false,
  provides: [Command],
  apply: async (scope) => {
    const { stdio } = await import('./stdio.ts');
    scope.provide(Command, stdio);
  },
});
