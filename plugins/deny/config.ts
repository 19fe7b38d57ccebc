/** `plugins.deny.config`; meanings and defaults stand in schemas/config/deny.schema.json. */
export interface DenyConfig {
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
  readonly servers: readonly string[];
  readonly destructive: boolean;
  readonly except: readonly string[];
}
