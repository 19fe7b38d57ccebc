import { definePlugin, readSchema } from 'pegboard';
import type { MetricsConfig } from './config.ts';
import { MetricSource } from '../contracts/metrics.ts';

/** Exports metrics: what OTEL_METRICS_EXPORTER or the configuration names. Costs nothing without it. */
export const plugin = definePlugin<MetricsConfig>({
  name: 'metrics',
  api: 1,
  configSchema: readSchema('config/metrics'),
  enabled: ({ plugins: { metrics } }, { OTEL_METRICS_EXPORTER: named, OTEL_SDK_DISABLED: isOff }) => {
    // Not checked yet.
    const config =
      typeof metrics === 'object' ? (metrics.config as Record<string, unknown> | null) : undefined;
    const said = config?.['exporter'];
    const names = named || (typeof said === 'string' ? said : '');
    const isNamed = names.split(',').some((name) => !['', 'none'].includes(name.trim()));
    return isNamed && isOff?.toLowerCase() !== 'true';
  },
  provides: [MetricSource],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
