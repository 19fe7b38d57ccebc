import { resolve } from 'node:path';
import { ConfigControl } from 'pegboard';
import { ResourceStore } from 'pegboard/contracts';
import { DatabaseFile } from './databaseFile.js';
import { SqliteStore } from './store.js';

/** @type {import('pegboard').Plugin} */
export const plugin = {
  name: 'store-sqlite',
  api: 1,
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      file: {
        description: 'The database, relative to config.yaml.',
        type: 'string',
        minLength: 1,
        default: 'definitions.sqlite',
      },
      pollMs: {
        description: 'How often the file is checked for changes by other processes.',
        type: 'integer',
        minimum: 50,
        default: 500,
      },
      writeAttempts: {
        description: 'How often a write is tried if other processes write at the same time.',
        type: 'integer',
        minimum: 1,
        default: 5,
      },
    },
  },
  requires: [ConfigControl],
  provides: [ResourceStore],
  apply(scope) {
    const { file, pollMs, writeAttempts } = scope.config;
    const control = () => scope.get(ConfigControl);
    const database = new DatabaseFile(resolve(control().directory, file), writeAttempts);
    const store = new SqliteStore(database);
    scope.provide(ResourceStore, store);
    scope.tap('onConfigLoad', (draft) => store.addTo(draft, control().kinds()));
    scope.onStart(() => database.watch(pollMs, () => void control().reload()));
    scope.onStop(() => database.close());
  },
};
