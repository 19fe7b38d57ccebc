import type { Env } from 'pegboard';

export const EXPORTERS = ['otlp', 'console'] as const;

/** What OTEL_TRACES_EXPORTER names, known or not. Where it is not set, an endpoint for traces means `otlp`, OpenTelemetry's
 *  default; without either, nothing is exported.
 *  Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export function traceExporterNames(env: Env): readonly string[] {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return [];
  const hasEndpoint = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].some(
    (name) => env[name],
  );
  const given = env['OTEL_TRACES_EXPORTER'] || (hasEndpoint ? 'otlp' : '');
  const names = given.split(',').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '' && name !== 'none');
}
