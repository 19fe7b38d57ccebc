// Generated from schemas/config/store-file.schema.json by npm run tables.
export interface StoreFileConfig {
  /** Definition files over this many bytes are neither read nor written. */
  readonly maxFileBytes: number;
  /** How often an edit starts again if another program saves the same file meanwhile. */
  readonly writeAttempts: number;
  /** true: a definition with errors prevents the start; false: it is left out, and the log reports it. */
  readonly strictStart: boolean;
}
