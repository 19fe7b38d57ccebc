// Generated from schemas/config/transport-sse.schema.json by npm run tables.
export interface StreamConfig {
  /** An idle stream gets a comment this often, so that proxies keep it open. */
  readonly keepAliveMs: number;
  /** A stream with more than this unread is closed. */
  readonly maxBufferedBytes: number;
}
