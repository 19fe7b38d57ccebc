// Generated from schemas/config/cassettes.schema.json by npm run tables.
export interface RecordConfig {
  /** MCP servers whose calls are recorded, by name or by pattern (`*`, `?`, `[a-z]`). */
  readonly servers: readonly string[];
  /** Where the cassettes are written, from the configuration directory on; made when it is not there. Files
   *  right below a folder of the configuration directory are watched, those below `state` are not. */
  readonly directory: string;
  /** Regular expressions (RE2) of what is hidden besides the secrets of the definitions; each is held against
   *  single strings, keys and numbers. */
  readonly redact: readonly string[];
  /** Size at which recording of a server stops, in bytes. */
  readonly maxCassetteBytes: number;
}
