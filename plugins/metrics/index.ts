import { definePlugin, readSchema } from 'pegboard';
import type { MetricsConfig } from './config.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { WorkerLine } from '../contracts/processes.ts';
import { writtenText } from '../kit/telemetry/exportSettings.ts';

/** Exports metrics: what OTEL_METRICS_EXPORTER or the configuration names. Costs nothing without it. */
export const plugin = definePlugin<MetricsConfig>({
  name: 'metrics',
  api: 1,
  configSchema: readSchema('config/metrics'),
  enabled: (settings, env) => {
    const written = writtenText(settings, 'metrics', 'exporter');
    const { OTEL_METRICS_EXPORTER: named, OTEL_SDK_DISABLED: isOff } = env;
    const names = named || written;
    const isNamed = names.split(',').some((name) => !['', 'none'].includes(name.trim()));
    return isNamed && isOff?.toLowerCase() !== 'true';
  },
  asks: [WorkerLine],
  provides: [MetricSource],
  apply: async (scope) => (await import('./apply.ts')).apply(scope),
});
