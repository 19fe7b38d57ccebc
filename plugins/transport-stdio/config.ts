// Generated from schemas/config/transport-stdio.schema.json by npm run tables.
export interface StdioConfig {
  /** Largest message on standard input; a longer one is refused and skipped. */
  readonly maxLineBytes: number;
  /** At the end of input, running requests may take this long before they are cancelled. */
  readonly stopGraceMs: number;
}
