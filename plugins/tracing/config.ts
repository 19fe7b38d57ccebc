// Generated from schemas/config/tracing.schema.json by npm run tables.
export interface TracingConfig {
  /** Where traces go: otlp, console (the log), or both with a comma; otlp where there is an endpoint.
   *  OTEL_TRACES_EXPORTER wins. */
  readonly exporter?: string;
  /** URL of the OTLP collector, to which `/v1/traces` is appended: http://localhost:4318 by default.
   *  OTEL_EXPORTER_OTLP_ENDPOINT wins. */
  readonly endpoint?: string;
  /** Whether spans of calls to servers have arguments and results, with known secrets hidden. They may still
   *  contain personal data. */
  readonly content: boolean;
  /** Longer arguments and results are cut. */
  readonly maxContentChars: number;
}
