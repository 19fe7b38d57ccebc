import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Env } from 'pegboard';
import { exportAgent } from 'pegboard/net';
import type { ProxySettings } from 'pegboard/net';
import { exportUrl } from '../../kit/telemetry/exportSettings.ts';
import { wrongVariable } from './variables.ts';

const DEFAULT = 'http/protobuf';

export interface OtlpPlace {
  /** Proxies of the configuration; default: those of the environment. */
  readonly settings?: ProxySettings | undefined;
  /** Where it goes; default: what the environment says. */
  readonly url?: () => string | undefined;
}

/** The exporters read the other OTEL_EXPORTER_OTLP_* variables themselves.
 *  @throws GatewayError PLUGIN_START for an address that is not a URL, and gRPC, which would bring a second HTTP stack */
export async function otlpExporter(
  env: Env,
  { settings, url: urlOf = () => exportUrl(undefined, 'traces', env) }: OtlpPlace,
): Promise<SpanExporter> {
  const name = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = env[name] || DEFAULT;
  const url = urlOf();
  const options = { ...exportAgent(env, settings, 'TRACES'), ...(url !== undefined && { url }) };
  if (protocol === DEFAULT)
    return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(options);
  if (protocol === 'http/json')
    return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter(options);
  const fix = 'use http/protobuf or http/json, which collectors accept at port 4318';
  throw wrongVariable(name, protocol, fix);
}
