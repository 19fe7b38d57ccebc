// Generated from schemas/config/core-mcpservers.schema.json by npm run tables.
export interface McpServersConfig {
  /** Longest message that core_mcpserver_detect reads. */
  readonly maxProbeBytes: number;
}
