import { definePlugin, readSchema, whenConfigured } from 'pegboard';
import { AggregatorFacts } from '../core-services/contract.ts';
import { MetricSource } from '../metrics/contract.ts';
import type { LimitsConfig } from './config.ts';

/** Rates and numbers of running calls per session, caller, server and tool. Costs nothing until one is set. */
export const plugin = definePlugin<LimitsConfig>({
  name: 'limits',
  api: 1,
  configSchema: readSchema('config/limits'),
  enabled: whenConfigured('limits'),
  provides: [AggregatorFacts, MetricSource],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
