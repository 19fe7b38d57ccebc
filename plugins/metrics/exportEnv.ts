import type { Env } from 'pegboard';
import type { MetricsConfig } from './config.ts';

/** The variables of the exporters: where the environment has none, the configuration's values. */
export function exportEnv({ exporter, host, port, endpoint }: MetricsConfig, env: Env): Env {
  const configured = {
    OTEL_METRICS_EXPORTER: exporter,
    OTEL_EXPORTER_PROMETHEUS_HOST: host,
    OTEL_EXPORTER_PROMETHEUS_PORT: port?.toString(),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  };
  return { ...configured, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value)) };
}

/** Where OTLP goes; undefined where the environment says it, which the exporter reads itself. */
export function exportUrl({ endpoint }: MetricsConfig, env: Env): string | undefined {
  const isNamed = env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return isNamed || endpoint === undefined ? undefined : `${endpoint.replace(/\/$/, '')}/v1/metrics`;
}
