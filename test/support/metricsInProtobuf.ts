import { bytesIn, fieldsOf, messagesIn } from './protobuf.ts';
import type { Message } from './protobuf.ts';
import type { ReceivedMetric } from './receivedMetric.ts';
import { labelText } from './metrics.ts';

/** By the number of their field in Metric, and the number of the attributes in their points. */
const KINDS = [
  { kind: 'gauge', field: 5, attributes: 7 },
  { kind: 'sum', field: 7, attributes: 7 },
  { kind: 'histogram', field: 9, attributes: 9 },
] as const;

/** Metrics of an ExportMetricsServiceRequest, read by the numbers of opentelemetry-proto. Source:
 *  https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto */
export function metricsInProtobuf(body: Buffer): ReceivedMetric[] {
  return messagesIn(fieldsOf(body), 1).flatMap((resourceMetrics) => {
    const resource = Object.assign(
      {},
      ...messagesIn(resourceMetrics, 1).map((one) => stringsIn(one, 1)),
    ) as object;
    return messagesIn(resourceMetrics, 2)
      .flatMap((scopeMetrics) => messagesIn(scopeMetrics, 2))
      .map((metric) => ({ ...metricOf(metric), resource: resource as Record<string, string> }));
  });
}

function metricOf(metric: Message): Omit<ReceivedMetric, 'resource'> {
  const name = bytesIn(metric, 1).toString();
  const unit = bytesIn(metric, 3).toString();
  for (const { kind, field, attributes } of KINDS) {
    if (!metric.has(field)) continue;
    const points = messagesIn(metric, field).flatMap((data) => messagesIn(data, 1));
    const values = points.map((point) => [labelText(stringsIn(point, attributes)), numberOf(point, kind)]);
    return { name, unit, kind, values: Object.fromEntries(values) as Record<string, number> };
  }
  throw new Error(`${name} has no points`);
}

/** A double, or the number of values of a histogram. */
function numberOf(point: Message, kind: ReceivedMetric['kind']): number {
  const bytes = bytesIn(point, 4);
  return kind === 'histogram' ? Number(bytes.readBigUInt64LE()) : bytes.readDoubleLE();
}

function stringsIn(message: Message, number: number): Record<string, string> {
  const pairs = messagesIn(message, number).map((pair) => {
    const [value = new Map<number, never>()] = messagesIn(pair, 2);
    return [bytesIn(pair, 1).toString(), bytesIn(value, 1).toString()];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}
