// Generated from schemas/config/call-history.schema.json by npm run tables.
export interface CallHistoryConfig {
  /** Whether arguments and results are kept too, with known secrets hidden. They may still contain personal
   *  data. */
  readonly content: boolean;
  /** Longer arguments, results and texts of errors are cut. */
  readonly maxContentChars: number;
  /** Calls that ended longer ago are forgotten. */
  readonly keepSeconds: number;
  /** What all kept calls may take in the state directory; the oldest go first. */
  readonly maxBytes: number;
}
