import { Endpoint, definePlugin, readSchema } from 'pegboard';
import { Front } from '../contracts/mcp.ts';
import { HttpListener, Route } from '../contracts/http.ts';
import { Channel, Peers } from '../contracts/processes.ts';
import type { StreamConfig } from './config.ts';
import { SseConnections } from './sseConnections.ts';

/** The older HTTP+SSE transport: /sse and /message. */
export const plugin = definePlugin<StreamConfig>({
  name: 'transport-sse',
  api: 1,
  configSchema: readSchema('config/transport-sse'),
  enabled: ({ aggregator }) => aggregator.enabled && aggregator.transport !== 'stdio',
  requires: [Front],
  asks: [Channel, HttpListener, Peers],
  provides: [Endpoint, Route],
  apply: (scope) => {
    const connections = new SseConnections(scope);
    for (const route of connections.routes()) scope.provide(Route, route);
    scope.provide(Endpoint, {
      url: () => {
        const base = scope.find(HttpListener)?.url();
        return base && `${base}/sse`;
      },
    });
    scope.onStart(() => connections.start());
    scope.onReload(() => connections.start());
    scope.onStop(() => connections.stop());
  },
});
