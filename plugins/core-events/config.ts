/** `plugins.core-events.config`; schemas/config/core-events.schema.json has meanings and defaults. */
export interface EventsConfig {
  readonly ringEntries: number;
  readonly keptEntries: number;
  readonly keptDays: number;
  readonly chunkEntries: number;
  readonly writeAfterMs: number;
  readonly maxMessageChars: number;
  readonly maxFollowers: number;
  readonly followGraceMs: number;
}
