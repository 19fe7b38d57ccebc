import { isObject, rawMember, splitArray } from 'pegboard';
import type { CallResult, ToolResult } from 'pegboard';

// What a server wrote is passed on as it wrote it: JSON.parse reads what is nested deeper than JSON.stringify goes.

/** How a stored result is read: by pages and lines of `text`, by selections from its data. */
export interface StoredView {
  /** The texts in it joined by newlines; the structured content's JSON when there is none. */
  readonly text: string;
  /** Whether there is anything to select from: not in a plain text. */
  readonly hasData: boolean;
  /** JSON of structuredContent, or of the result itself; undefined when `text` is the data, or there is none. */
  readonly data: string | undefined;
}

/** @returns `root` is the value of the data; of a plain text the text */
export function viewOf(result: CallResult): StoredView & { readonly root: unknown } {
  const { structuredContent } = result.value();
  const content = contentOf(result.value());
  const texts = textsOf(content).join('\n');
  const structure = rawStructure(result);
  const text = texts === '' ? (structure ?? '') : texts;
  if (structure !== undefined) {
    const data = structure === text ? undefined : structure;
    return { text, hasData: true, data, root: structuredContent };
  }
  const isTextOnly = content.every((item) => textIn(item) !== undefined);
  const root = isTextOnly ? parsed(text) : undefined;
  if (root !== undefined) return { text, hasData: true, data: undefined, root };
  const [only] = content;
  if (content.length === 1 && isObject(only) && only['type'] === 'text')
    return { text, hasData: false, data: undefined, root: text };
  return { text, hasData: true, data: result.json, root: result.value() };
}

/** Bytes of what an agent reads: texts and structured content, not images, sounds and files. */
export function textBytesOf(result: CallResult): number {
  const structured = Buffer.byteLength(rawStructure(result) ?? '');
  const texts = textsOf(contentOf(result.value()));
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), structured);
}

/** The structured content as JSON; undefined for none. */
export function rawStructure(result: CallResult): string | undefined {
  return result.value().structuredContent === undefined
    ? undefined
    : rawMember(result.json, 'structuredContent');
}

/** What stays of a shortened result: items without text, as JSON. */
export function rawWithoutTexts(result: CallResult): readonly string[] {
  const content = contentOf(result.value());
  const raw = rawContent(result.json);
  return raw.filter((_, at) => textIn(content[at]) === undefined);
}

export function rawContent(json: string): readonly string[] {
  const content = rawMember(json, 'content');
  return content?.startsWith('[') === true ? splitArray(content) : [];
}

/** A server may leave it out, or put anything into it. */
export function contentOf({ content }: Partial<ToolResult>): readonly unknown[] {
  return Array.isArray(content) ? content : [];
}

function textsOf(content: readonly unknown[]): readonly string[] {
  return content.map(textIn).filter((text) => text !== undefined);
}

function textIn(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const { type, text, resource } = item;
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
