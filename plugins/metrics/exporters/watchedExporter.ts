import { messageOf } from 'pegboard';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { ExportFaults } from './exportFaults.ts';

/** An exporter whose failures are reported by `faults` alone: the SDK would report each. */
export function watchedExporter(exporter: PushMetricExporter, faults: ExportFaults): PushMetricExporter {
  return {
    export: (metrics, done) =>
      exporter.export(metrics, (result) => {
        if (result.code === SUCCESS) faults.worked();
        else faults.failed(result.error === undefined ? 'no reason is known' : messageOf(result.error));
        done({ code: SUCCESS });
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    ...(exporter.selectAggregation && { selectAggregation: exporter.selectAggregation.bind(exporter) }),
    ...(exporter.selectAggregationTemporality && {
      selectAggregationTemporality: exporter.selectAggregationTemporality.bind(exporter),
    }),
  };
}

/** The code of a successful export: `ExportResultCode.SUCCESS` of @opentelemetry/core. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- that package is not a direct dependency
export const SUCCESS = 0 as Parameters<Parameters<PushMetricExporter['export']>[1]>[0]['code'];
