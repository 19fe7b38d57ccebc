import type { Env } from 'pegboard';
import type { TracingConfig } from './config.ts';

/** The variables of the exporters: where the environment has none, the configuration's values. */
export function exportEnv({ exporter, endpoint }: TracingConfig, env: Env): Env {
  const configured = { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  return { ...configured, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value)) };
}

/** Where OTLP goes; undefined where the environment says it, which the exporter reads itself. */
export function exportUrl({ endpoint }: TracingConfig, env: Env): string | undefined {
  const isNamed = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return isNamed || endpoint === undefined ? undefined : `${endpoint.replace(/\/$/, '')}/v1/traces`;
}
