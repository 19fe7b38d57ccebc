import { Endpoint, RequestGate, Shutdown, definePlugin, readSchema } from 'pegboard';
import { Front } from '../contracts/mcp.ts';
import type { StdioConfig } from './config.ts';
import { StdioFront } from './stdioFront.ts';

/** MCP on standard input and output. The end of input ends the process, unless no client used stdio and there is another
 *  endpoint. */
export const plugin = definePlugin<StdioConfig>({
  name: 'transport-stdio',
  api: 1,
  edge: true,
  configSchema: readSchema('config/transport-stdio'),
  enabled: ({ aggregator }) => aggregator.enabled && aggregator.transport === 'stdio',
  requires: [Front, RequestGate],
  provides: [Endpoint],
  apply: (scope) => {
    const streams = { input: process.stdin, output: process.stdout };
    const endpoint: Endpoint = { url: () => 'stdio' };
    const front = new StdioFront(scope, streams, (hadClient) => {
      const others = scope.all(Endpoint).filter((one) => one !== endpoint);
      if (hadClient || others.length === 0) {
        scope.get(Shutdown).request('end of input');
        return;
      }
      const text =
        'standard input has ended, so no client can connect over stdio; the gateway continues without it';
      scope.log.warn(text, { fix: 'transport-stdio: false', url: others[0]?.url() });
    });
    scope.provide(Endpoint, endpoint);
    scope.onStart(() => front.start());
    scope.onReload(() => undefined);
    scope.onStop(() => front.stop());
  },
});
