import type { Env, Settings } from 'pegboard';
import type { TracingConfig } from './config.ts';

type ExportConfig = Pick<TracingConfig, 'exporter' | 'endpoint'>;

/** The variables of the exporters: where the environment has none, the configuration's values. */
export function exportEnv({ exporter, endpoint }: ExportConfig, env: Env): Env {
  const configured = { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  return { ...configured, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value)) };
}

/** What the configuration says before it has been checked. */
export function exportConfigIn({ plugins: { tracing } }: Settings): ExportConfig {
  return typeof tracing === 'object' ? (tracing.config ?? {}) : {};
}
