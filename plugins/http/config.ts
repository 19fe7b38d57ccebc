// Generated from schemas/config/http.schema.json by npm run tables.
export interface HttpConfig {
  /** Taken from aggregator.host. */
  readonly host: string;
  /** Taken from aggregator.port. */
  readonly port: number;
  /** What happens if aggregator.host can be reached from other machines, and callers need neither a sign-in nor
   *  the local token: a warning, or no start. The default command of the image refuses. */
  readonly unguarded: 'warn' | 'refuse';
  /** Whether a free port is taken if another process has aggregator.port; default with transport stdio: true. */
  readonly anyPort: boolean;
  /** Host headers to accept besides localhost and addresses of this machine, without port: gateway.example.com. */
  readonly allowedHosts: readonly string[];
  /** Origin headers to accept besides the address of the request itself: https://app.example.com,
   *  http://localhost:6274; pages of these may read responses (CORS). */
  readonly allowedOrigins: readonly string[];
  /** Largest request body. */
  readonly maxBodyBytes: number;
  /** Largest request head; a change applies to new connections. */
  readonly maxHeaderBytes: number;
  /** A request head must have arrived within this. */
  readonly headersTimeoutMs: number;
  /** A whole request must have arrived within this. */
  readonly requestTimeoutMs: number;
  /** An idle connection is closed after this. */
  readonly keepAliveTimeoutMs: number;
  /** Connections open at once; further ones are closed at once. */
  readonly maxConnections: number;
  /** Bytes of responses that clients have not read yet, over all connections; above it, the connections that
   *  have not read for longest are closed. */
  readonly maxUnreadBytes: number;
  /** A stop begins with this time, in which /ready answers 503, requests are served, and each response closes
   *  its connection. For a load balancer that looks at /ready. */
  readonly drainMs: number;
  /** A stop waits this long for running requests. */
  readonly stopGraceMs: number;
}
