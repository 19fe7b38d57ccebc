import type { Env, Settings } from 'pegboard';
import type { MetricsConfig } from './config.ts';

export type ExportConfig = Pick<MetricsConfig, 'exporter' | 'host' | 'port' | 'endpoint'>;

/** The variables of the exporters: where the environment has none, the configuration's values. */
export function exportEnv({ exporter, host, port, endpoint }: ExportConfig, env: Env): Env {
  const configured = {
    OTEL_METRICS_EXPORTER: exporter,
    OTEL_EXPORTER_PROMETHEUS_HOST: host,
    OTEL_EXPORTER_PROMETHEUS_PORT: port?.toString(),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  };
  return { ...configured, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value)) };
}

/** What the configuration says before it has been checked. */
export function exportConfigIn({ plugins: { metrics } }: Settings): ExportConfig {
  return typeof metrics === 'object' ? (metrics.config ?? {}) : {};
}
