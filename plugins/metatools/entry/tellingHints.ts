import type { ToolAnnotations } from 'pegboard';

/** The hints that say something else than a tool without any. Source: MCP 2025-11-25, ToolAnnotations, whose second and third
 *  mean something only for a tool that does not just read. */
export function tellingHints(hints: ToolAnnotations | undefined): ToolAnnotations | undefined {
  if (hints === undefined) return undefined;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints;
  const isReading = readOnlyHint === true;
  return {
    ...(isReading && { readOnlyHint }),
    ...(!isReading && destructiveHint === false && { destructiveHint }),
    ...(!isReading && idempotentHint === true && { idempotentHint }),
    ...(openWorldHint === false && { openWorldHint }),
  };
}
