import { definePlugin, readSchema, whenConfigured } from 'pegboard';
import { Quotas } from '../contracts/processes.ts';
import { AggregatorFacts } from '../contracts/services.ts';
import { MetricSource } from '../contracts/metrics.ts';
import type { LimitsConfig } from './config.ts';

/** Rates and numbers of running calls per session, caller, server and tool. Costs nothing until one is set. */
export const plugin = definePlugin<LimitsConfig>({
  name: 'limits',
  api: 1,
  configSchema: readSchema('config/limits'),
  enabled: whenConfigured('limits'),
  asks: [Quotas],
  provides: [AggregatorFacts, MetricSource],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
