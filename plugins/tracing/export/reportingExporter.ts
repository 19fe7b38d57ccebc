import { ExportResultCode } from '@opentelemetry/core';
import type { ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';

/** Reports a collector that does not take spans: one warning, and one line when it takes them again. */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Log;
  /** Spans that were not taken since the warning; undefined while the collector works. */
  #lost: number | undefined;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#worked();
      else this.#failed(spans.length, result.error);
      // The processor would report each failure to a handler that all libraries of the process share.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #worked(): void {
    if (this.#lost !== undefined) this.#log.info('traces are exported again', { lostSpans: this.#lost });
    this.#lost = undefined;
  }

  #failed(spans: number, error: Error | undefined): void {
    if (this.#lost === undefined) {
      const fix = 'check OTEL_EXPORTER_OTLP_ENDPOINT and the collector; further failures are not logged';
      this.#log.warn('traces could not be exported', { reason: reasonOf(error), fix });
    }
    this.#lost = (this.#lost ?? 0) + spans;
  }
}

/** Errors of several addresses have no message of their own. */
function reasonOf(error: Error | undefined): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return first === undefined ? 'no reason was given' : messageOf(first);
}
