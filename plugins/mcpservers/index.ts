import { ConfigControl, ResourceStore, definePlugin } from 'pegboard';
import { mcpServerKind } from './kind.ts';
import { readTools } from './readTools.ts';
import { writeTools } from './writeTools.ts';

export const plugin = definePlugin({
  name: 'mcpservers',
  api: 1,
  configSchema: { type: 'object', additionalProperties: false },
  requires: [ConfigControl, ResourceStore],
  kinds: [mcpServerKind],
  apply(scope) {
    for (const tool of [...readTools(scope), ...writeTools(scope)]) scope.addTool(tool);
  },
});
