import { GatewayError, isObject } from 'pegboard';
import type { CallResult, JsonObject } from 'pegboard';

/** Returns the result of a tool, unless it is a task: Pegboard asks for none, and nothing here could fetch what it returns.
 *  Source: MCP 2025-11-25, Tasks; D105. @throws GatewayError UPSTREAM_PROTOCOL */
export function refuseTask(
  result: CallResult,
  { tool, server }: { readonly tool: string; readonly server: string },
): CallResult {
  // Searching the text costs far less than parsing it; tasks of all revisions have an id.
  if (!result.json.includes('"taskId"') || !isTask(result.value())) return result;
  const reason = `tool ${tool} of server ${server} was answered with a task, which was not asked for`;
  const next = 'there are no tasks here; it may have run, check its effect before calling again';
  throw new GatewayError('UPSTREAM_PROTOCOL', `${reason}: ${next}`, {
    details: { server, mayHaveRun: true },
  });
}

/** The SDK of 2025-11-25 adds an empty `content` to it. The extension of 2026-07-28 has the members of `task` beside
 *  `resultType`. Source: SEP-2663. */
function isTask({ resultType, task, content, structuredContent }: JsonObject): boolean {
  if (resultType === 'task') return true;
  const isEmpty = structuredContent === undefined && (!Array.isArray(content) || content.length === 0);
  return isEmpty && isObject(task) && typeof task['taskId'] === 'string';
}
