import { ConfigControl, definePlugin, readSchema } from 'pegboard';
import { ResourceStore } from './contract.ts';
import { Folders } from './folders.ts';
import { createLoader } from './load.ts';
import { FileStore } from './fileStore.ts';

interface StoreFileConfig {
  readonly maxFileBytes: number;
  readonly writeAttempts: number;
}

export const plugin = definePlugin<StoreFileConfig>({
  name: 'store-file',
  api: 1,
  configSchema: readSchema('config/store-file'),
  enabled: (settings) => !settings.orchestrator,
  requires: [ConfigControl],
  provides: [ResourceStore],
  apply(scope) {
    const folders = new Folders(() => scope.config.maxFileBytes);
    const load = createLoader(folders, scope.log);
    const store = new FileStore({
      folders,
      control: () => scope.get(ConfigControl),
      writeAttempts: () => scope.config.writeAttempts,
    });
    scope.tap('onConfigLoad', (draft) => load(draft, scope.get(ConfigControl)));
    scope.provide(ResourceStore, store);
    scope.onReload(() => undefined);
  },
});
