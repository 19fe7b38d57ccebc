import type { Env, Settings } from 'pegboard';

/** A text in the configuration of a plugin before it is checked, for its rule `enabled`; empty without one. */
export function writtenText({ plugins }: Settings, plugin: string, key: string): string {
  const entry = plugins[plugin];
  const config = typeof entry === 'object' ? (entry.config as Record<string, unknown> | null) : undefined;
  const value = config?.[key];
  return typeof value === 'string' ? value : '';
}

/** The variables of exporters: where the environment has none, what the configuration says. */
export function exportEnv(configured: Env, env: Env): Env {
  return { ...configured, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value)) };
}

/** Where OTLP goes; undefined where the environment says it, which the exporter reads itself. */
export function exportUrl(
  endpoint: string | undefined,
  signal: 'metrics' | 'traces',
  env: Env,
): string | undefined {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
  const isNamed = env[own] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (isNamed || endpoint === undefined) return undefined;
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal}`;
  return url.href;
}
