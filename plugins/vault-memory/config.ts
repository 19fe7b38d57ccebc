// Generated from schemas/config/vault-memory.schema.json by npm run tables.
export interface VaultMemoryConfig {
  /** Bound on entries. */
  readonly maxEntries: number;
  /** Bound on the bytes of all values together, as JSON. */
  readonly maxBytes: number;
  /** Bound on the bytes of one value as JSON. */
  readonly maxValueBytes: number;
  /** How often expired entries are removed; they are invisible as soon as they expire. */
  readonly sweepMs: number;
}
