// Generated from schemas/config/memory.schema.json by npm run tables.
export interface MemoryConfig {
  /** Bytes that all large messages may take together while they are read and processed, one caller three
   *  quarters of them; 0: a sixteenth of the heap that Node.js allows (--max-old-space-size). */
  readonly maxBytes: number;
  /** A message waits this long for memory, then it fails. */
  readonly waitMs: number;
}
