/** `plugins.mcpservers.config`; meanings and defaults stand in schemas/config/mcpservers.schema.json. */
export interface McpServersConfig {
  readonly maxProbeBytes: number;
}
