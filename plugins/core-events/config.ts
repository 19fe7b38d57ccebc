/** `plugins.core-events.config`; meanings and defaults stand in schemas/config/core-events.schema.json. */
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
