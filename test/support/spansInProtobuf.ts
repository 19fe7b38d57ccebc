import type { ReceivedSpan } from './traceReceiver.ts';

type Field = number | bigint | Buffer;
type Message = ReadonlyMap<number, readonly Field[]>;

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

function bytesIn(message: Message, number: number): Buffer {
  const [value] = message.get(number) ?? [];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function messagesIn(message: Message, number: number): Message[] {
  return (message.get(number) ?? []).filter((value) => Buffer.isBuffer(value)).map(fieldsOf);
}

/** Source: https://protobuf.dev/programming-guides/encoding/ */
function fieldsOf(bytes: Buffer): Message {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(value);
    }
  };
  const slice = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = varint();
    const type = tag & 7;
    const value = type === 0 ? varint() : slice(type === 2 ? varint() : type === 1 ? 8 : 4);
    const number = tag >>> 3;
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}
