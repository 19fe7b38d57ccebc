import { GatewayError } from 'pegboard';
import type { Env } from 'pegboard';

export const PORT_VARIABLE = 'OTEL_EXPORTER_PROMETHEUS_PORT';
const DEFAULT_PORT = 9464;

/** Where /metrics is served. Source: requirement metrics.address. @throws GatewayError PLUGIN_START */
export function prometheusAddress(env: Env): { readonly host: string; readonly port: number } {
  const host = env['OTEL_EXPORTER_PROMETHEUS_HOST'] || 'localhost';
  const text = env[PORT_VARIABLE] ?? '';
  const port = text === '' ? DEFAULT_PORT : Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return { host, port };
  throw new GatewayError(
    'PLUGIN_START',
    `${PORT_VARIABLE} is "${text}"; use a number from 0 (a free port) to 65535`,
  );
}
