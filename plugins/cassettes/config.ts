/** `plugins.cassettes.config`; meanings and defaults stand in schemas/config/cassettes.schema.json. */
export interface RecordConfig {
  readonly servers: readonly string[];
  readonly directory: string;
  readonly redact: readonly string[];
  readonly maxCassetteBytes: number;
}
