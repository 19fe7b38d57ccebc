export interface StreamConfig {
  readonly keepAliveMs: number;
  readonly maxBufferedBytes: number;
}
