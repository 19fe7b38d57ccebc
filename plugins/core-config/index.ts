import { ConfigControl, definePlugin, readSchema } from 'pegboard';
import { ConfigOrigins, SettingsStore } from '../contracts/settings.ts';
import type { ConfigToolsConfig } from './config.ts';
import { configOrigins } from './configOrigins.ts';
import { createEdits } from './edits.ts';
import { readTools } from './readTools.ts';
import { writeTools } from './writeTools.ts';

export const plugin = definePlugin<ConfigToolsConfig>({
  name: 'core-config',
  api: 1,
  configSchema: readSchema('config/core-config'),
  requires: [ConfigControl],
  uses: [SettingsStore],
  provides: [ConfigOrigins],
  apply(scope) {
    const edits = createEdits(() => scope.get(ConfigControl), scope.log);
    for (const tool of [...readTools(scope), ...writeTools(scope, edits)]) scope.addTool(tool);
    scope.provide(ConfigOrigins, configOrigins(scope, edits));
    scope.onReload(() => undefined);
    scope.onStop(() => edits.forget());
  },
});
