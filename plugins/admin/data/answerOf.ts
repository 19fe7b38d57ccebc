import { isObject } from 'pegboard';
import type { JsonObject, ToolResult } from 'pegboard';

/** What a core tool or a meta-tool answered: its structured content, else the JSON of its text. */
export function answerOf({ structuredContent, content }: ToolResult): JsonObject {
  const value: unknown = structuredContent ?? JSON.parse(String(content[0]?.['text']));
  return isObject(value) ? value : {};
}
