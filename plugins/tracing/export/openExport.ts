import type { Tracer } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { VERSION, messageOf, waitAtMost } from 'pegboard';
import type { Env, Log } from 'pegboard';
import { OWN_ATTRIBUTES } from '../../kit/telemetry/ownAttributes.ts';
import { EXPORTERS, traceExporterNames } from './traceExporterNames.ts';
import { LogExporter } from './logExporter.ts';
import { otlpExporter } from './otlpExporter.ts';
import type { OtlpPlace } from './otlpExporter.ts';
import { ReportingExporter } from './reportingExporter.ts';
import { samplerOf } from './samplerOf.ts';
import { wholeNumberIn, wrongVariable } from './variables.ts';

const FLUSH_MS = 5_000;

export interface TraceExport {
  readonly tracer: Tracer;
  /** Exports what waits, within five seconds. Safe to call twice. */
  stop(): Promise<void>;
}

/** A tracer whose spans go where the environment says, in batches, from a queue of bounded length.
 *  @throws GatewayError PLUGIN_START for a variable with a wrong value */
export async function openExport(env: Env, log: Log, to: OtlpPlace = {}): Promise<TraceExport> {
  const exporterOf = async (name: string): Promise<SpanExporter> => {
    if (name === 'otlp') return new ReportingExporter(await otlpExporter(env, to), log);
    if (name === 'console') return new LogExporter(log);
    throw wrongVariable('OTEL_TRACES_EXPORTER', name, `list ${EXPORTERS.join(', ')} or none`);
  };
  const exporters = await Promise.all(traceExporterNames(env).map(exporterOf));
  const spanProcessors = exporters.map((exporter) => new BatchSpanProcessor({ exporter, ...queueIn(env) }));
  const provider = new TracerProvider({
    resource: resourceFromAttributes(OWN_ATTRIBUTES).merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(env),
    spanProcessors,
    spanLimits: limitsIn(env),
  });
  const shutDown = async (): Promise<void> => {
    await waitAtMost(FLUSH_MS, provider.shutdown()).catch((error: unknown) =>
      log.warn('traces could not be exported', { reason: messageOf(error) }),
    );
  };
  let stopped: Promise<void> | undefined;
  return { tracer: provider.getTracer('pegboard', VERSION), stop: () => (stopped ??= shutDown()) };
}

/** Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
function queueIn(env: Env) {
  const maxQueueSize = wholeNumberIn(env, 'OTEL_BSP_MAX_QUEUE_SIZE') ?? 2_048;
  const batch = wholeNumberIn(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE') ?? 512;
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(batch, maxQueueSize),
    scheduledDelayMillis: wholeNumberIn(env, 'OTEL_BSP_SCHEDULE_DELAY') ?? 5_000,
    exportTimeoutMillis: wholeNumberIn(env, 'OTEL_BSP_EXPORT_TIMEOUT') ?? 30_000,
  };
}

function limitsIn(env: Env) {
  const limit = (name: string): number | undefined =>
    wholeNumberIn(env, `OTEL_SPAN_${name}`, 0) ?? wholeNumberIn(env, `OTEL_${name}`, 0);
  const attributeValueLengthLimit = limit('ATTRIBUTE_VALUE_LENGTH_LIMIT');
  const attributeCountLimit = limit('ATTRIBUTE_COUNT_LIMIT');
  return {
    ...(attributeValueLengthLimit !== undefined && { attributeValueLengthLimit }),
    ...(attributeCountLimit !== undefined && { attributeCountLimit }),
  };
}
