/** `plugins.deny.config`; schemas/config/deny.schema.json has meanings and defaults. */
export interface DenyConfig {
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
  readonly servers: readonly string[];
  readonly destructive: boolean;
  readonly except: readonly string[];
}
