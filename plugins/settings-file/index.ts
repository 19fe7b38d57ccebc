import { ConfigControl, definePlugin, readSchema } from 'pegboard';
import { SettingsStore } from '../contracts/settings.ts';
import { SettingsFile } from './settingsFile.ts';

export const plugin = definePlugin({
  name: 'settings-file',
  api: 1,
  configSchema: readSchema('nothing'),
  requires: [ConfigControl],
  provides: [SettingsStore],
  apply(scope) {
    scope.provide(SettingsStore, new SettingsFile(() => scope.get(ConfigControl).directory));
    scope.onReload(() => undefined);
  },
});
