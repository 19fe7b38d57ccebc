export interface AuditConfig {
  readonly directory: string;
  readonly maxFileBytes: number;
  readonly checkpointLines: number;
  readonly signingKeyFile?: string;
  readonly trustedKeyFiles: readonly string[];
  readonly onFailure: 'refuse' | 'continue';
  readonly writeTimeoutMs: number;
  readonly maxPendingLines: number;
  readonly headMs: number;
}
