import { DataPointType } from '@opentelemetry/sdk-metrics';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { SUCCESS } from './watchedExporter.ts';

/** One line of JSON for each metric, to standard error: standard output may be that of an MCP client. */
export function consoleExporter(
  write = (line: string): void => void process.stderr.write(line),
): PushMetricExporter {
  return {
    export: ({ scopeMetrics }, done) => {
      for (const { metrics } of scopeMetrics)
        for (const { descriptor, dataPointType, dataPoints } of metrics) {
          const points = dataPoints.map(({ attributes, value }) => ({ attributes, value }));
          const { name, unit } = descriptor;
          write(`${JSON.stringify({ metric: name, unit, type: DataPointType[dataPointType], points })}\n`);
        }
      done({ code: SUCCESS });
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}
