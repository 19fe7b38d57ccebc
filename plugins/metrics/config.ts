export interface MetricsConfig {
  readonly maxTools: number;
  readonly maxSeries: number;
}
