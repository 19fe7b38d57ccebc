// Generated from schemas/config/metrics.schema.json by npm run tables.
export interface MetricsConfig {
  /** Host headers that `/metrics` accepts besides localhost, without port: metrics.example.com. An address of
   *  this machine is accepted if OTEL_EXPORTER_PROMETHEUS_HOST is beyond loopback. */
  readonly allowedHosts: readonly string[];
  /** Tools that have series of their own: those with the most calls. All others are counted together, as
   *  `other`. */
  readonly maxTools: number;
  /** Series of one metric. Further ones are left out, and counted by `pegboard.metrics.dropped`. */
  readonly maxSeries: number;
}
