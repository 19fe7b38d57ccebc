// Generated from schemas/config/tracing.schema.json by npm run tables.
export interface TracingConfig {
  /** Whether spans of calls to servers have arguments and results, with known secrets hidden. They may still
   *  contain personal data. */
  readonly content: boolean;
  /** Longer arguments and results are cut. */
  readonly maxContentChars: number;
}
