import { isGatewayError, resultOf } from 'pegboard';
import type { CallResult, JsonObject, ToolResult } from 'pegboard';

/** One text item holding the result as compact JSON, for older clients (decision D6). Source: aggregator.md 1.6. */
export function enveloped(result: CallResult): CallResult {
  const { content, structuredContent, isError = false } = result.value();
  const hasStructure = structuredContent !== undefined && structuredContent !== null;
  const structure = hasStructure ? { structuredContent } : {};
  const text = JSON.stringify({ isError, content: content.map(withoutBytes), ...structure });
  return resultOf({ content: [{ type: 'text', text }], isError, ...structure });
}

/** Failures of the call itself are enveloped too. @throws what may not be shown */
export function envelopedError(error: unknown): CallResult {
  if (!isGatewayError(error) || !error.expose) throw error;
  const content = [{ type: 'text', text: `Tool execution failed: ${error.message}` }];
  const result: ToolResult = { content, isError: true };
  return enveloped(resultOf(result));
}

function withoutBytes(item: JsonObject): JsonObject {
  const { type, data, mimeType } = item;
  if ((type !== 'image' && type !== 'audio') || typeof data !== 'string') return item;
  return { type, mimeType, dataSize: data.length };
}
