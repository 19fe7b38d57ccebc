import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Whether a result is a task: Pegboard asks for none, and nothing here could fetch what it returns. The SDK of 2025-11-25 adds
 *  an empty `content` to it. The extension of 2026-07-28 has the members of `task` beside `resultType`.
 *  Source: MCP 2025-11-25, Tasks; SEP-2663; D105 */
export function isTask({ resultType, task, content, structuredContent }: JsonObject): boolean {
  if (resultType === 'task') return true;
  const isEmpty = structuredContent === undefined && (!Array.isArray(content) || content.length === 0);
  return isEmpty && isObject(task) && typeof task['taskId'] === 'string';
}
