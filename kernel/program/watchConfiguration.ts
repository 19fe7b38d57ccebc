import type { Pipeline } from '../config/pipeline.ts';
import type { Log } from '../log.ts';
import { UnfinishedFiles } from './unfinishedFiles.ts';
import { watchDirectory } from './watchDirectory.ts';

/** Reloads the configuration when its files change. @returns the function that ends it */
export function watchConfiguration(pipeline: Pipeline, log: Log): () => Promise<void> {
  const files = new UnfinishedFiles(pipeline, log);
  return watchDirectory(pipeline.directory, (changed) => void files.reload(changed), {
    isWaiting: () => files.isWaiting,
  });
}
