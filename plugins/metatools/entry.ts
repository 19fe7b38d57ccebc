import { isObject } from 'pegboard';
import type { JsonObject, JsonSchema, Tool } from 'pegboard';

const SUMMARY_CHARS = 120;

export interface EntryOptions {
  /** Full description and input schema instead of the summary. */
  readonly full?: boolean;
  readonly score?: number | undefined;
}

/** A tool as the discovery meta-tools show it; what it does not have is left out. Source: interface.md, Tool catalogue entry. */
export function toEntry(tool: Tool, { full = false, score }: EntryOptions = {}): JsonObject {
  const { name, kind, server, annotations, labels, description, inputSchema } = tool;
  return {
    name,
    ...(full ? { description } : summaryField(description)),
    ...(server !== undefined && { server }),
    kind,
    ...(hasKeys(annotations) && { annotations }),
    ...(hasKeys(labels) && { labels }),
    ...(score !== undefined && { score }),
    ...staleField(tool),
    ...(full && { inputSchema }),
  };
}

/** Everything an agent needs to call it. */
export function toDescription(tool: Tool): JsonObject {
  const { name, kind, server, annotations, labels, description, inputSchema, declared = {} } = tool;
  const { title, outputSchema } = declared;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    description,
    ...(server !== undefined && { server }),
    kind,
    ...(hasKeys(annotations) && { annotations }),
    ...(hasKeys(labels) && { labels }),
    ...staleField(tool),
    inputSchema,
    ...(isObject(outputSchema) && { outputSchema }),
    invocation: invocationOf(name, inputSchema),
  };
}

/** First line, at most 120 code points; `...` marks a cut. */
export function summaryOf(description: string): string {
  const line = (description.trim().split('\n', 1)[0] ?? '').trim();
  if (line.length <= SUMMARY_CHARS) return line;
  const chars = Array.from(line.slice(0, 2 * SUMMARY_CHARS + 2));
  if (chars.length <= SUMMARY_CHARS) return line;
  return `${chars.slice(0, SUMMARY_CHARS).join('').trim()}...`;
}

function summaryField(description: string): JsonObject {
  const summary = summaryOf(description);
  return summary === '' ? {} : { summary };
}

function staleField(tool: Tool): JsonObject {
  return tool.isStale?.() === true ? { stale: true } : {};
}

function invocationOf(name: string, schema: JsonSchema): string {
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const fields = required.slice(0, 8).map((field) => `${JSON.stringify(String(field))}: ...`);
  const call = `call_tool {"name": ${JSON.stringify(name)}, "arguments": {${fields.join(', ')}}}`;
  return `${call}; tools inside this service are not callable by name directly`;
}

function hasKeys(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}
