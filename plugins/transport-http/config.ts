// Generated from schemas/config/transport-http.schema.json by npm run tables.
export interface StreamConfig {
  /** An idle stream gets a comment this often, so that proxies keep it open. */
  readonly keepAliveMs: number;
  /** A stream with more than this unread is closed. */
  readonly maxBufferedBytes: number;
  /** A connection whose client reads nothing of an answer for this long is closed. */
  readonly stalledReaderMs: number;
  /** A request without an answer for this long, at most twice as long, gets an event stream that can be
   *  resumed. */
  readonly slowAnswerMs: number;
  /** How long clients are asked to wait before they reconnect a standing stream. Clients with the defaults of
   *  the official SDK try twice, this far apart. */
  readonly retryMs: number;
  /** How long the events of a stream are stored for a client that resumes it. */
  readonly replayMs: number;
  /** Bound on the stored events of all streams; the oldest streams are dropped first. */
  readonly maxReplayBytes: number;
  /** Bound on the streams with stored events; the oldest are dropped first. */
  readonly maxReplayStreams: number;
  /** Bound on the stored events of one stream; its oldest are dropped first. */
  readonly maxStreamReplayBytes: number;
}
