/** `plugins.call-log.config`; schemas/config/call-log.schema.json has meanings and defaults. */
export interface CallLogConfig {
  readonly slowMs: number;
}
