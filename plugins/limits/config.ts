/** One limit; 0 disables a part. */
export interface Limit {
  readonly callsPerMinute: number;
  readonly burst: number;
  readonly concurrent: number;
}
export interface LimitsConfig {
  readonly perSession: Limit;
  readonly perCaller: Limit;
  readonly perServer: Limit;
  readonly perTool: Limit;
  readonly servers: Readonly<Record<string, Limit>>;
  readonly tools: Readonly<Record<string, Limit>>;
  /** Whether all processes with one store count together. */
  readonly shared: boolean;
  readonly busyRetrySeconds: number;
  readonly maxEntries: number;
}
