import { bytesIn, fieldsOf, messagesIn } from './protobuf.ts';
import type { ReceivedSpan } from './traceReceiver.ts';

/** Spans of an ExportTraceServiceRequest, without attributes: read by the numbers of opentelemetry-proto, not by the code
 *  that wrote them. Source: https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
export function spansInProtobuf(body: Buffer): ReceivedSpan[] {
  return messagesIn(fieldsOf(body), 1)
    .flatMap((resourceSpans) => messagesIn(resourceSpans, 2))
    .flatMap((scopeSpans) => messagesIn(scopeSpans, 2))
    .map((span) => ({
      traceId: bytesIn(span, 1).toString('hex'),
      spanId: bytesIn(span, 2).toString('hex'),
      parentSpanId: bytesIn(span, 4).toString('hex'),
      name: bytesIn(span, 5).toString(),
      kind: Number(span.get(6)?.[0] ?? 0),
      attributes: {},
      status: 0,
      resource: {},
    }));
}
