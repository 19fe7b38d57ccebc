// Generated from schemas/config/vault-file.schema.json by npm run tables.
export interface VaultFileConfig {
  /** Bound on entries; each takes about 250 bytes of memory. */
  readonly maxEntries: number;
  /** Bound on the bytes of entries on disk; the file itself grows to twice that plus compactGarbageBytes. */
  readonly maxBytes: number;
  /** Bound on the bytes of one value as JSON. */
  readonly maxValueBytes: number;
  /** Bound on the bytes that wait for the disk; more is refused. */
  readonly maxPendingBytes: number;
  /** Writes that share one sync of the disk have at most this many bytes together. */
  readonly maxBatchBytes: number;
  /** The file is rewritten once it has more than this many bytes of replaced, taken and expired records, and
   *  more of them than of live ones. */
  readonly compactGarbageBytes: number;
  /** How often expired entries are removed; they are invisible as soon as they expire. */
  readonly sweepMs: number;
  /** How long calls wait for another process on the same state directory to end, counted from the start. */
  readonly lockWaitMs: number;
  /** How often a process that waits for the vault tries again, on average. */
  readonly lockPollMs: number;
  /** A lock of another machine or container that was not renewed for this long is taken over; a live one is
   *  renewed three times as often. */
  readonly lockStaleMs: number;
}
