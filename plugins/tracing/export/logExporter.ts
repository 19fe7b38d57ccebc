import { SpanKind } from '@opentelemetry/api';
import { ExportResultCode, hrTimeToMilliseconds } from '@opentelemetry/core';
import type { ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from 'pegboard';

/** The exporter `console`: each span is a line of the log, because the standard output may be the connection to a client. */
export class LogExporter implements SpanExporter {
  readonly #log: Log;
  constructor(log: Log) {
    this.#log = log;
  }

  export(spans: readonly ReadableSpan[], done: (result: ExportResult) => void): void {
    for (const span of spans) {
      const { traceId: trace, spanId: id } = span.spanContext();
      this.#log.info('span', {
        trace,
        id,
        parent: span.parentSpanContext?.spanId,
        name: span.name,
        kind: SpanKind[span.kind],
        ms: Math.round(hrTimeToMilliseconds(span.duration) * 1_000) / 1_000,
        ...span.attributes,
      });
    }
    done({ code: ExportResultCode.SUCCESS });
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}
