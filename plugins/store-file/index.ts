import { ConfigControl, definePlugin, readSchema } from 'pegboard';
import { ResourceStore } from '../contracts/definitions.ts';
import type { StoreFileConfig } from './config.ts';
import { Folders } from './folders.ts';
import { createLoader } from './load.ts';
import { FileStore } from './fileStore.ts';
import { refusalLog } from './refusalLog.ts';

export const plugin = definePlugin<StoreFileConfig>({
  name: 'store-file',
  api: 1,
  configSchema: readSchema('config/store-file'),
  enabled: (settings) => !settings.orchestrator,
  requires: [ConfigControl],
  provides: [ResourceStore],
  apply(scope) {
    const maxFileBytes = (): number => scope.config.maxFileBytes;
    const folders = new Folders(maxFileBytes);
    const isStrict = (): boolean => scope.config.strictStart;
    const load = createLoader(folders, isStrict);
    const logRefused = refusalLog(scope.log, isStrict);
    const control = (): ConfigControl => scope.get(ConfigControl);
    const writeAttempts = (): number => scope.config.writeAttempts;
    scope.tap('onConfigLoad', (draft) => load(draft, control()));
    scope.tap('onEvent', (event) => {
      if (event.type === 'config.applied' || event.type === 'config.rejected')
        logRefused(event.report, control());
    });
    scope.provide(ResourceStore, new FileStore(folders, control, maxFileBytes, writeAttempts));
    scope.onReload(() => undefined);
  },
});
