// Generated from schemas/config/core-events.schema.json by npm run tables.
export interface EventsConfig {
  /** How many of the newest events are kept in memory. */
  readonly ringEntries: number;
  /** How many events the vault keeps, about; the oldest go first. */
  readonly keptEntries: number;
  /** How many days the vault keeps an event. */
  readonly keptDays: number;
  /** How many events share one record of the vault. */
  readonly chunkEntries: number;
  /** How long events gather before they are written to the vault. */
  readonly writeAfterMs: number;
  /** Longer messages are cut. */
  readonly maxMessageChars: number;
  /** How many sessions may follow events at a time; over it the longest one ends. */
  readonly maxFollowers: number;
  /** A session that follows and has no stream for this long is told no more. */
  readonly followGraceMs: number;
}
