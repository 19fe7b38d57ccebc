import { GatewayError } from 'pegboard';
import type { Env, Settings } from 'pegboard';
import { isWebAddress } from '../text/isWebAddress.ts';

const GENERAL = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const KEYS = {
  metrics: 'plugins.metrics.config.endpoint',
  traces: 'plugins.tracing.config.endpoint',
} as const;

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

/** Where OTLP goes; undefined where the environment says it, which the exporter reads itself.
 *  @throws GatewayError PLUGIN_START if the configuration or the environment has something else than a URL */
export function exportUrl(
  endpoint: string | undefined,
  signal: 'metrics' | 'traces',
  env: Env,
): string | undefined {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
  const named = [own, GENERAL].find((name) => env[name]);
  const text = named === undefined ? endpoint : env[named];
  if (text === undefined) return undefined;
  // The variable of one signal is its whole URL.
  const path = named === own ? `/v1/${signal}` : '';
  if (!isWebAddress(text)) throw wrongAddress(named ?? KEYS[signal], text, path);
  if (named !== undefined) return undefined;
  const url = new URL(text);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal}`;
  return url.href;
}

/** Does not repeat the address, which may have a password. */
function wrongAddress(name: string, address: string, path: string): GatewayError {
  const what = /^\s*https?:/i.test(address)
    ? 'is not a URL: its host or port cannot be read'
    : 'does not begin with http:// or https://';
  return new GatewayError('PLUGIN_START', `${name} ${what}; write it as http://collector:4318${path}`);
}
