/** Keys: schemas/config/memory.schema.json. */
export interface MemoryConfig {
  /** 0: by the limit of the heap. */
  readonly maxBytes: number;
  readonly waitMs: number;
}
