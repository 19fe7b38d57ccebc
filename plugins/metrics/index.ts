import { definePlugin, readSchema } from 'pegboard';
import type { MetricsConfig } from './config.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { exportConfigIn, exportEnv } from './exportEnv.ts';

/** Exports metrics: what OTEL_METRICS_EXPORTER or the configuration names. Costs nothing without it. */
export const plugin = definePlugin<MetricsConfig>({
  name: 'metrics',
  api: 1,
  configSchema: readSchema('config/metrics'),
  enabled: (settings, env) => {
    const { OTEL_METRICS_EXPORTER: names = '', OTEL_SDK_DISABLED: isOff } = exportEnv(
      exportConfigIn(settings),
      env,
    );
    return (
      names.split(',').some((name) => !['', 'none'].includes(name.trim())) && isOff?.toLowerCase() !== 'true'
    );
  },
  provides: [MetricSource],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
