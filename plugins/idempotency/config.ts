export interface IdempotencyConfig {
  readonly keepSeconds: number;
  readonly maxKeys: number;
  readonly maxResultBytes: number;
  readonly busyRetrySeconds: number;
}
