import { ConfigControl, STAGE, WatchedDirectory, definePlugin, readSchema } from 'pegboard';
import { UnfinishedFiles } from './unfinishedFiles.ts';

type End = () => Promise<void>;

/** Reads the configuration again when its files change. */
export const plugin = definePlugin({
  name: 'live-reload',
  api: 1,
  configSchema: readSchema('nothing'),
  requires: [ConfigControl],
  uses: [WatchedDirectory],
  apply(scope) {
    const directory = scope.find(WatchedDirectory);
    if (directory === undefined) return;
    const control = (): ConfigControl => scope.get(ConfigControl);
    const files = new UnfinishedFiles(control, scope);
    let watching: Promise<End | undefined> | undefined;
    const watch = async (): Promise<End> => {
      const { watchDirectory } = await import('./watchDirectory.ts');
      return watchDirectory(directory, (changed) => void files.reload(changed), {
        isWaiting: () => files.isWaiting,
      });
    };
    const begin = (): void => {
      watching ??= watch().catch((error: unknown) => {
        scope.log.error('changes of files are not noticed; SIGHUP reads the configuration again', { error });
        return undefined;
      });
    };
    scope.tap('onConfigLoad', (draft) => files.sift(draft), STAGE.last);
    // Loaded late: the watcher is not needed to answer the first request.
    scope.tap('onEvent', ({ type }) => {
      if (type === 'config.applied') begin();
    });
    scope.onStart(() => {
      control().hold((text) => files.isHeld(text));
      if (control().lastReport() !== undefined) begin();
    });
    scope.onStop(async () => {
      control().hold(undefined);
      const end = await watching;
      await end?.();
    });
  },
});
