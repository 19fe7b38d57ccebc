import { ConfigControl, ToolTable, definePlugin, readSchema, whenConfigured } from 'pegboard';
import { MetricSource } from '../contracts/metrics.ts';
import { SearchOrder } from '../contracts/search.ts';
import { Vault } from '../contracts/vault.ts';
import type { SearchSemanticConfig } from './config.ts';
import { configFindings } from './configFindings.ts';

/** Finds tools by what a query means, with the vectors of a model. Runs only if it is configured. */
export const plugin = definePlugin<SearchSemanticConfig>({
  name: 'search-semantic',
  api: 1,
  configSchema: readSchema('config/search-semantic'),
  enabled: whenConfigured('search-semantic'),
  requires: [ConfigControl, ToolTable],
  uses: [Vault],
  provides: [MetricSource, SearchOrder],
  check: configFindings,
  review: async (facts) => (await import('./reviewFindings.ts')).reviewFindings(facts),
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
