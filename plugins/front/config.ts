export interface FrontConfig {
  readonly sessionTtlSeconds: number;
  readonly openHandles: number;
  readonly maxDepth: number;
  readonly maxBatch: number;
  readonly listChangedMs: number;
}
