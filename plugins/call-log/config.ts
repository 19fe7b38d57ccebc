// Generated from schemas/config/call-log.schema.json by npm run tables.
export interface CallLogConfig {
  /** A call that takes this long has a line in the log, with tool, server, time and request; 0 writes none. */
  readonly slowMs: number;
}
