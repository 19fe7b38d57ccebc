/** `plugins.cassettes.config`; schemas/config/cassettes.schema.json has meanings and defaults. */
export interface RecordConfig {
  readonly servers: readonly string[];
  readonly directory: string;
  readonly redact: readonly string[];
  readonly maxCassetteBytes: number;
}
