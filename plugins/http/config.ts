export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  readonly anyPort: boolean;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxUnreadBytes: number;
  readonly drainMs: number;
  readonly stopGraceMs: number;
}
