import { Front, Route, definePlugin, readSchema } from 'pegboard';
import type { StreamConfig } from './config.ts';
import { SseConnections } from './sseRoutes.ts';

/** The older HTTP+SSE transport: /sse and /message. */
export const plugin = definePlugin<StreamConfig>({
  name: 'transport-sse',
  api: 1,
  configSchema: readSchema('config/transport-sse'),
  enabled: ({ aggregator }) => aggregator.enabled && aggregator.transport !== 'stdio',
  requires: [Front],
  provides: [Route],
  apply: (scope) => {
    const connections = new SseConnections(scope);
    for (const route of connections.routes()) scope.provide(Route, route);
    scope.onStart(() => connections.start());
    scope.onReload(() => connections.start());
    scope.onStop(() => connections.stop());
  },
});
