import { diag, DiagLogLevel } from '@opentelemetry/api';
import { ConsoleMetricExporter, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { MetricProducer, PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { GatewayError, messageOf, waitAtMost } from 'pegboard';
import type { Env, Log } from 'pegboard';
import { exporterNames } from './exporterNames.ts';
import { openPrometheus } from './openPrometheus.ts';

const FLUSH_MS = 5_000;
const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 30_000;

export interface ExporterParts {
  readonly producer: MetricProducer;
  readonly env: Env;
  readonly log: Log;
}
type Stop = () => Promise<void>;

/** Starts what OTEL_METRICS_EXPORTER names; the exporters read the OTEL_EXPORTER_OTLP_* variables themselves.
 *  @returns ends them, after a last export of at most five seconds @throws GatewayError PLUGIN_START */
export async function startExporters({ producer, env, log }: ExporterParts): Promise<Stop> {
  const stops: Stop[] = [];
  reportFaults(log);
  for (const name of exporterNames(env))
    if (name === 'prometheus') stops.push(await openPrometheus({ producer, env, log }));
    else stops.push(push(producer, env, name === 'otlp' ? await otlp(env) : new ConsoleMetricExporter()));
  return async () => {
    await waitAtMost(FLUSH_MS, Promise.all(stops.map((stop) => stop())));
    diag.disable();
  };
}

function push(producer: MetricProducer, env: Env, exporter: PushMetricExporter): Stop {
  const exportIntervalMillis = millisecondsIn(env, 'OTEL_METRIC_EXPORT_INTERVAL', INTERVAL_MS);
  const timeout = millisecondsIn(env, 'OTEL_METRIC_EXPORT_TIMEOUT', TIMEOUT_MS);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
  });
  reader.setMetricProducer(producer);
  return () => reader.shutdown().catch((error: unknown) => diag.warn(messageOf(error)));
}

/** @throws GatewayError PLUGIN_START for gRPC, which would bring a second HTTP stack */
async function otlp(env: Env): Promise<PushMetricExporter> {
  const protocol =
    env['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'http/protobuf';
  if (protocol === 'http/protobuf')
    return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter();
  if (protocol === 'http/json')
    return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter();
  throw new GatewayError(
    'PLUGIN_START',
    `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}; use http/protobuf or http/json, which collectors accept at port 4318`,
  );
}

/** @throws GatewayError PLUGIN_START */
function millisecondsIn(env: Env, name: string, fallback: number): number {
  const text = env[name] ?? '';
  if (text === '') return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new GatewayError('PLUGIN_START', `${name} is "${text}"; use a number of milliseconds above 0`);
}

/** What the SDK reports, such as a collector that does not answer: one line until it works again would need to know when it
 *  does, so the same text is logged once. */
function reportFaults(log: Log): void {
  const said = new Set<string>();
  const report = (problem: string): void => {
    if (said.has(problem)) return;
    said.add(problem);
    log.warn('metrics could not be exported', { problem });
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
