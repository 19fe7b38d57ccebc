// Generated from schemas/config/idempotency.schema.json by npm run tables.
export interface IdempotencyConfig {
  /** How long a key is known, from the end of its call. After that it is a new one. */
  readonly keepSeconds: number;
  /** Keys that are known at a time, of one caller as many as are left. With one more, calls with a new key are
   *  refused: forgetting one could run its call twice. */
  readonly maxKeys: number;
  /** Larger results are not kept; a client that sends the key again is told that the tool has run. */
  readonly maxResultBytes: number;
  /** What retryAfter says while the call is under way. */
  readonly busyRetrySeconds: number;
}
