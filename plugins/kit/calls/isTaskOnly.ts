import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Whether the tool's server runs it as a task only. Source: MCP 2025-11-25, Tasks, Tool-Level Negotiation */
export function isTaskOnly({ execution }: JsonObject): boolean {
  return isObject(execution) && execution['taskSupport'] === 'required';
}
