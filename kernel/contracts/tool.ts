/** Clients list and call only `meta` tools by name; all others are reached through `call_tool`. */
export type ToolKind = 'meta' | 'core' | 'tool' | 'workflow';

/** MCP tool annotations; unknown hints pass through. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly [hint: string]: unknown;
}
