export interface StreamConfig {
  readonly keepAliveMs: number;
  readonly maxBufferedBytes: number;
  readonly stalledReaderMs: number;
  readonly slowAnswerMs: number;
  readonly retryMs: number;
  readonly replayMs: number;
  readonly maxReplayBytes: number;
  readonly maxReplayStreams: number;
  readonly maxStreamReplayBytes: number;
}
