// Generated from schemas/config/references.schema.json by npm run tables.
export interface ReferencesConfig {
  /** Taken from references: which references of definitions may be written through tools, and which files they
   *  may name. */
  readonly references: {
    /** References that tools may write: env:NAME, file:PATH (relative to config.yaml), secret:NAME/KEY, or a glob
     *  of them, as env:PUBLIC_*. */
    readonly allow: readonly string[];
    /** Folders, relative to config.yaml: a definition of a server whose ${file:PATH} is in none of them is left
     *  out. Absent: all files. */
    readonly files?: readonly string[];
  };
}
