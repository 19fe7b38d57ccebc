import { definePlugin, readSchema } from 'pegboard';
import type { MetricsConfig } from './config.ts';
import { MetricSource } from '../contracts/metrics.ts';

/** Exports metrics: what OTEL_METRICS_EXPORTER names. Costs nothing without it. */
export const plugin = definePlugin<MetricsConfig>({
  name: 'metrics',
  api: 1,
  configSchema: readSchema('config/metrics'),
  enabled: (_, { OTEL_METRICS_EXPORTER: names = '', OTEL_SDK_DISABLED: isOff }) =>
    names.split(',').some((name) => !['', 'none'].includes(name.trim())) && isOff?.toLowerCase() !== 'true',
  provides: [MetricSource],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
