import { isObject } from 'pegboard';
import type { JsonObject, ToolResult } from 'pegboard';

/** How a stored result is read: by pages of `text`, by selections from `root`. */
export interface StoredView {
  /** The text items joined by newlines; the result's JSON when it holds anything else. */
  readonly text: string;
  /** The data in it: structuredContent, or the text where that is JSON; else the result itself. */
  readonly root: unknown;
}

export function viewOf(json: string): StoredView {
  const result = JSON.parse(json) as ToolResult;
  const texts = textsOf(result.content);
  if (texts === undefined) return { text: json, root: result };
  const { structuredContent } = result;
  const joined = texts.join('\n');
  const text = joined === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : joined;
  return { text, root: structuredContent ?? parsed(joined) ?? result };
}

function textsOf(content: readonly JsonObject[]): readonly string[] | undefined {
  const texts: string[] = [];
  for (const item of content) {
    if (item['type'] !== 'text' || typeof item['text'] !== 'string') return undefined;
    texts.push(item['text']);
  }
  return texts;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
