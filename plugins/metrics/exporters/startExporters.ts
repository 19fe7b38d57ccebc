import { diag, DiagLogLevel } from '@opentelemetry/api';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { MetricProducer, PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { GatewayError, messageOf, waitAtMost } from 'pegboard';
import type { Env, Log } from 'pegboard';
import { exportAgent } from 'pegboard/net';
import type { ProxySettings } from 'pegboard/net';
import { exportUrl } from '../../kit/telemetry/exportSettings.ts';
import { consoleExporter } from './consoleExporter.ts';
import { ExportFaults } from './exportFaults.ts';
import { metricExporterNames } from './metricExporterNames.ts';
import type { ExporterName } from './metricExporterNames.ts';
import { openPrometheus } from './openPrometheus.ts';
import type { PrometheusParts } from './openPrometheus.ts';
import { watchedExporter } from './watchedExporter.ts';

const FLUSH_MS = 5_000;
/** The collector is away. */
const SHORT_FLUSH_MS = 100;
const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 30_000;
const MAX_PROBLEMS = 20;

export interface ExporterParts extends PrometheusParts {
  /** Proxies of the configuration; default: those of the environment. */
  readonly settings?: ProxySettings | undefined;
  /** Where OTLP goes; default: what the environment says. */
  readonly url?: () => string | undefined;
  /** Takes the place of /metrics. */
  readonly tell?: (() => Promise<Stop>) | undefined;
  /** What /metrics shows; default: what the others export. */
  readonly scraped?: MetricProducer;
}
type Stop = () => Promise<void>;

/** Starts what OTEL_METRICS_EXPORTER names; the exporters read the OTEL_EXPORTER_OTLP_* variables themselves.
 *  @returns ends them, after a last export of at most five seconds; may be called twice @throws GatewayError PLUGIN_START: none is left open then */
export async function startExporters(parts: ExporterParts): Promise<Stop> {
  const { env, log } = parts;
  const faults = new ExportFaults(log);
  const stops: Stop[] = [];
  const end = async (): Promise<void> => {
    await waitAtMost(faults.isFailing ? SHORT_FLUSH_MS : FLUSH_MS, Promise.all(stops.map((one) => one())));
    diag.disable();
  };
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => (ended ??= end());
  followDiagnostics(faults, log);
  try {
    for (const name of metricExporterNames(env)) stops.push(await start(name, parts, faults));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function start(name: ExporterName, parts: ExporterParts, faults: ExportFaults): Promise<Stop> {
  const { producer, scraped = producer, tell } = parts;
  if (name === 'prometheus') return tell?.() ?? openPrometheus({ ...parts, producer: scraped });
  return push(parts, name === 'otlp' ? watchedExporter(await otlp(parts), faults) : consoleExporter());
}

function push({ producer, env }: ExporterParts, exporter: PushMetricExporter): Stop {
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

/** @throws GatewayError PLUGIN_START for an address that is not a URL, and gRPC, which would bring a second HTTP stack */
async function otlp(parts: ExporterParts): Promise<PushMetricExporter> {
  const { env, settings, url: urlOf = () => exportUrl(undefined, 'metrics', env) } = parts;
  const names = ['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  const set = names.find((name) => (env[name] ?? '') !== '');
  const protocol = set === undefined ? 'http/protobuf' : env[set];
  const url = urlOf();
  const options = { ...exportAgent(env, settings, 'METRICS'), ...(url !== undefined && { url }) };
  if (protocol === 'http/protobuf')
    return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter(options);
  if (protocol === 'http/json')
    return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter(options);
  throw new GatewayError(
    'PLUGIN_START',
    `${set} is ${protocol}; use http/protobuf or http/json, which collectors accept at port 4318`,
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

/** What OpenTelemetry itself reports, about traces too: an export that takes too long is a failed one, all else has a line of its own. */
function followDiagnostics(faults: ExportFaults, log: Log): void {
  const known = new Set<string>();
  const report = (problem: string): void => {
    if (problem.startsWith('PeriodicExportingMetricReader')) {
      faults.failed(problem);
      return;
    }
    const kind = problem.replace(/\d+/g, '');
    if (known.has(kind) || known.size >= MAX_PROBLEMS) return;
    known.add(kind);
    log.warn('OpenTelemetry reports a problem', { problem });
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
