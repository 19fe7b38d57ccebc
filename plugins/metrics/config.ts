export interface MetricsConfig {
  readonly allowedHosts: readonly string[];
  readonly maxTools: number;
  readonly maxSeries: number;
}
