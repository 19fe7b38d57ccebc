import { definePlugin, readSchema } from 'pegboard';
import { McpResourceSource } from '../contracts/mcp.ts';
import { Manual } from './manual.ts';

/** Lets agents read the documents of this version through the gateway. */
export const plugin = definePlugin({
  name: 'docs',
  api: 1,
  configSchema: readSchema('nothing'),
  provides: [McpResourceSource],
  apply(scope) {
    scope.provide(McpResourceSource, new Manual());
  },
});
