import { definePlugin, readSchema, whenConfigured } from 'pegboard';
import { SearchOrder } from '../contracts/search.ts';
import { Vault } from '../contracts/vault.ts';
import type { SearchLearnedConfig } from './config.ts';

/** Puts forward what was called after such searches. Runs only if it is configured. */
export const plugin = definePlugin<SearchLearnedConfig>({
  name: 'search-learned',
  api: 1,
  configSchema: readSchema('config/search-learned'),
  enabled: whenConfigured('search-learned'),
  uses: [Vault],
  provides: [SearchOrder],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
