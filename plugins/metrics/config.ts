// Generated from schemas/config/metrics.schema.json by npm run tables.
export interface MetricsConfig {
  /** Where metrics go: prometheus, otlp, console, or several with commas. OTEL_METRICS_EXPORTER wins. */
  readonly exporter?: string;
  /** Where `/metrics` is served: localhost is both loopback addresses, and the default.
   *  OTEL_EXPORTER_PROMETHEUS_HOST wins. */
  readonly host?: string;
  /** Port of `/metrics`: 9464 by default; 0 takes a free one, which the log shows.
   *  OTEL_EXPORTER_PROMETHEUS_PORT wins. */
  readonly port?: number;
  /** URL of the OTLP collector, to which `/v1/metrics` is appended: http://localhost:4318 by default.
   *  OTEL_EXPORTER_OTLP_ENDPOINT wins. */
  readonly endpoint?: string;
  /** Host headers that `/metrics` accepts besides localhost, without port: metrics.example.com. An address of
   *  this machine is accepted if OTEL_EXPORTER_PROMETHEUS_HOST is beyond loopback. */
  readonly allowedHosts: readonly string[];
  /** Tools that have series of their own: those with the most calls. All others are counted together, as
   *  `other`. */
  readonly maxTools: number;
  /** Series of one metric. Further ones are left out, and counted by `pegboard.metrics.dropped`. */
  readonly maxSeries: number;
}
