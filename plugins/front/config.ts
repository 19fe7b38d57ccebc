// Generated from schemas/config/front.schema.json by npm run tables.
export interface FrontConfig {
  /** A session handle opens for this long after initialize, an owner handle of 2026-07-28 as long. */
  readonly sessionTtlSeconds: number;
  /** Opened session handles that are cached; others are decrypted again. */
  readonly openHandles: number;
  /** Sessions that the admin pages list: those used last at this process. */
  readonly maxListedSessions: number;
  /** Ended sessions that are stored; one caller may add one while it has fewer than are free. */
  readonly maxEndedSessions: number;
  /** Deepest nesting of a message's JSON. */
  readonly maxDepth: number;
  /** Most messages in a batch (revision 2025-03-26). */
  readonly maxBatch: number;
  /** Resources that one session may watch. */
  readonly maxSubscriptions: number;
  /** Sessions that may watch resources at a time; one more is refused. */
  readonly maxWatchingSessions: number;
  /** Subscriptions of a session end after this time without a standing stream. */
  readonly subscriptionIdleMs: number;
  /** Sessions that may receive log messages at a time; with one more, the one that asked longest ago is
   *  dropped. */
  readonly maxLoggingSessions: number;
  /** How often expired sessions, and subscriptions that no client can receive, are removed. */
  readonly sweepMs: number;
  /** Characters of the instructions with the list of servers. Claude Code reads 2,048. */
  readonly maxInstructionChars: number;
  /** Characters of the line of one server in the instructions; 0: its name and state only. */
  readonly maxServerInstructionChars: number;
  /** Questions of servers that may wait for one session's answer; more are refused. */
  readonly maxQuestions: number;
  /** List-changed notifications, and changes of one watched resource, are collected for this long. */
  readonly listChangedMs: number;
  /** Answers clients of revision 2026-07-28, which has no sessions; off, they fall back to 2025-11-25. */
  readonly stateless: boolean;
  /** How long clients of 2026-07-28 may cache the list of meta-tools. */
  readonly toolsTtlMs: number;
  /** How long a call of 2026-07-28 with a question waits for its client to return. */
  readonly parkedCallMs: number;
  /** Calls of 2026-07-28 that may wait for their client; if there are more, servers cannot ask questions. */
  readonly maxParkedCalls: number;
}
