export interface FrontConfig {
  readonly sessionTtlSeconds: number;
  readonly openHandles: number;
  readonly maxListedSessions: number;
  readonly maxEndedSessions: number;
  readonly maxDepth: number;
  readonly maxBatch: number;
  readonly listChangedMs: number;
  readonly maxSubscriptions: number;
  readonly maxWatchingSessions: number;
  readonly subscriptionIdleMs: number;
  readonly maxLoggingSessions: number;
  readonly sweepMs: number;
  readonly maxQuestions: number;
  readonly maxInstructionChars: number;
  readonly maxServerInstructionChars: number;
  readonly stateless: boolean;
  readonly toolsTtlMs: number;
  readonly parkedCallMs: number;
  readonly maxParkedCalls: number;
}
