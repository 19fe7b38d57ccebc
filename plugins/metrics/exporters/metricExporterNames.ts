import { GatewayError } from 'pegboard';
import type { Env } from 'pegboard';

const NAMES = ['prometheus', 'otlp', 'console'] as const;
export type ExporterName = (typeof NAMES)[number];

/** What OTEL_METRICS_EXPORTER names, none by default. Source:
 *  https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 *  @throws GatewayError PLUGIN_START for a name that is not known */
export function metricExporterNames(env: Env): readonly ExporterName[] {
  const given = (env['OTEL_METRICS_EXPORTER'] ?? '').split(',').map((name) => name.trim());
  const names = [...new Set(given)].filter((name) => name !== '' && name !== 'none');
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return [];
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined) return names.filter(isKnown);
  const known = [...NAMES, 'none'].join(', ');
  throw new GatewayError('PLUGIN_START', `OTEL_METRICS_EXPORTER has ${unknown}; it may list ${known}`);
}

function isKnown(name: string): name is ExporterName {
  return (NAMES as readonly string[]).includes(name);
}
