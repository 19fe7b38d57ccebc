import { Endpoint, definePlugin, readSchema } from 'pegboard';
import { Front, StatelessFront } from '../contracts/mcp.ts';
import { HttpListener, Route } from '../contracts/http.ts';
import { Channel, Peers } from '../contracts/processes.ts';
import type { StreamConfig } from './config.ts';
import { FarStreams } from './farStreams.ts';
import { mcpRoutes } from './mcpRoutes.ts';

/** MCP over streamable HTTP: /mcp. */
export const plugin = definePlugin<StreamConfig>({
  name: 'transport-http',
  api: 1,
  configSchema: readSchema('config/transport-http'),
  enabled: ({ aggregator }) => aggregator.enabled && aggregator.transport === 'streamable-http',
  requires: [Front, StatelessFront],
  asks: [Channel, HttpListener, Peers],
  provides: [Endpoint, Route],
  apply: (scope) => {
    const far = new FarStreams(scope);
    const { streams } = far;
    for (const route of mcpRoutes(scope, far)) scope.provide(Route, route);
    scope.provide(Endpoint, {
      url: () => {
        const base = scope.find(HttpListener)?.url();
        return base && `${base}/mcp`;
      },
    });
    scope.onStart(() => streams.start());
    scope.onReload(() => streams.start());
    scope.onStop(() => streams.stop());
  },
});
