/** `plugins.core-mcpservers.config`; schemas/config/core-mcpservers.schema.json has meanings and defaults. */
export interface McpServersConfig {
  readonly maxProbeBytes: number;
}
