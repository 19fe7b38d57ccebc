import { Endpoint, RequestGate, Shutdown, definePlugin, readSchema } from 'pegboard';
import { Front } from '../front/contract.ts';
import { StdioFront } from './stdioFront.ts';
import type { StdioConfig } from './stdioFront.ts';

/** MCP on standard input and output; the end of input ends the process. */
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
    const front = new StdioFront(scope, streams, () => scope.get(Shutdown).request('end of input'));
    scope.provide(Endpoint, { url: () => 'stdio' });
    scope.onStart(() => front.start());
    scope.onReload(() => undefined);
    scope.onStop(() => front.stop());
  },
});
