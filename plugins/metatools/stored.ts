import { isObject } from 'pegboard';
import type { JsonObject, ToolResult } from 'pegboard';

/** How a stored result is read: by pages and lines of `text`, by selections from `root`. */
export interface StoredView {
  /** The texts in it joined by newlines; the structured content's JSON when there is none. */
  readonly text: string;
  /** The data in it: structuredContent, or the text where that is JSON; else the result itself. */
  readonly root: unknown;
}

export function viewOf(json: string): StoredView {
  const result = JSON.parse(json) as ToolResult;
  const { structuredContent } = result;
  const text = textsOf(result.content).join('\n');
  if (text === '' && structuredContent !== undefined)
    return { text: JSON.stringify(structuredContent), root: structuredContent };
  const isTextOnly = result.content.every((item) => textIn(item) !== undefined);
  return { text, root: structuredContent ?? (isTextOnly ? parsed(text) : undefined) ?? result };
}

/** Bytes of what an agent reads: texts and structured content, not images, sounds and files. */
export function textBytesOf({ content, structuredContent }: ToolResult): number {
  const structured =
    structuredContent === undefined ? 0 : Buffer.byteLength(JSON.stringify(structuredContent));
  return textsOf(content).reduce((sum, text) => sum + Buffer.byteLength(text), structured);
}

/** What stays of a shortened result: items without text. */
export function withoutTexts(content: readonly JsonObject[]): readonly JsonObject[] {
  return content.filter((item) => textIn(item) === undefined);
}

function textsOf(content: readonly JsonObject[]): readonly string[] {
  return content.map(textIn).filter((text) => text !== undefined);
}

function textIn({ type, text, resource }: JsonObject): string | undefined {
  if (type === 'text' && typeof text === 'string') return text;
  if (type !== 'resource' || !isObject(resource)) return undefined;
  return typeof resource['text'] === 'string' ? resource['text'] : undefined;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
