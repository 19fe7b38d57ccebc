import { randomBytes } from 'node:crypto';
import { isGatewayError, resultOf } from 'pegboard';
import type { CallResult, JsonObject, Log, ToolResult } from 'pegboard';

/** One text item holding the result as compact JSON, for older clients (decision D6). Source: aggregator.md 1.6. */
export function enveloped(result: CallResult): CallResult {
  const { content, structuredContent, isError = false } = result.value();
  const hasStructure = structuredContent !== undefined && structuredContent !== null;
  const structure = hasStructure ? { structuredContent } : {};
  const text = JSON.stringify({ isError, content: content.map(withoutBytes), ...structure });
  return resultOf({ content: [{ type: 'text', text }], isError, ...structure });
}

/** Failures of the call itself are enveloped too. What may not be shown stays in the log; an id joins the two. */
export function envelopedError(error: unknown, log: Log): CallResult {
  const content = [{ type: 'text', text: `Tool execution failed: ${shownText(error, log)}` }];
  const result: ToolResult = { content, isError: true };
  return enveloped(resultOf(result));
}

function shownText(error: unknown, log: Log): string {
  if (isGatewayError(error) && error.expose) return error.message;
  const id = randomBytes(4).toString('hex');
  log.error('call failed', { id, error });
  return `internal error ${id}; the operator finds the details in the log under this id`;
}

function withoutBytes(item: JsonObject): JsonObject {
  const { type, data, mimeType } = item;
  if ((type !== 'image' && type !== 'audio') || typeof data !== 'string') return item;
  return { type, mimeType, dataSize: data.length };
}
