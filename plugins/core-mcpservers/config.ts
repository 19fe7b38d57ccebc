/** `plugins.core-mcpservers.config`; meanings and defaults stand in schemas/config/core-mcpservers.schema.json. */
export interface McpServersConfig {
  readonly maxProbeBytes: number;
}
