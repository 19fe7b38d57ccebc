import { isDeepStrictEqual } from 'node:util';
import { isObject } from 'pegboard';
import type { CallResult, JsonObject, ToolResult } from 'pegboard';
import { exactValue } from '../../kit/calls/exactNumbers.ts';
import { INTEGERS, isInteger, valueIn } from '../definition/integers.ts';
import { noTextNote } from './noTextNote.ts';

/** The result of a step's call. */
export interface StepOutcome {
  readonly isError: boolean;
  readonly value: unknown;
  /** All text of an error result. */
  readonly text: string;
  /** What the result holds in place of a value. */
  readonly note?: string | undefined;
}

/** What a step's result is: see the table in README.md. Null without a text and `structuredContent`. */
export function readResult(result: CallResult): StepOutcome {
  const read = result.value();
  const { content, structuredContent, isError } = read;
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = items.flatMap((item) => textOf(item) ?? []);
  const [first] = texts;
  const isGiven = (structuredContent ?? null) !== null;
  const exact = isGiven ? (exactValue(result.json, INTEGERS, read) as ToolResult) : undefined;
  const structure = exact?.structuredContent;
  const value = structure ?? (first === undefined ? null : valueOf(first));
  return {
    isError: isError === true,
    value: isObject(structure) ? unwrapped(structure, texts) : value,
    text: texts.join('\n'),
    note: texts.length === 0 && value === null ? noTextNote(items) : undefined,
  };
}

function textOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('text' in item)) return undefined;
  return 'type' in item && item.type === 'text' && typeof item.text === 'string' ? item.text : undefined;
}

/** An object, a list, or a scalar that prints back as it was: `1.10` and `12e4567` stay text. */
function valueOf(text: string): unknown {
  const value = valueIn(text);
  if (value === undefined || isInteger(value)) return text;
  return typeof value === 'object' || JSON.stringify(value) === text.trim() ? value : text;
}

/** What servers that must give an object, and have none, put into its only member: a list or an object that the text has too, or in
 *  `result` anything else that a function has returned (FastMCP). Other structured content is as it is. */
function unwrapped(structured: JsonObject, texts: readonly string[]): unknown {
  const [[key, value] = [], ...more] = Object.entries(structured);
  if (key === undefined || more.length > 0) return structured;
  const [text = ''] = texts;
  const read = /^\s*[[{]/.test(text) ? valueIn(text) : undefined;
  if (read !== undefined && (value === text || isDeepStrictEqual(value, read))) return read;
  return key === 'result' && isSaid(value, texts) ? value : structured;
}

/** Whether the text is the value or its JSON; each item of a list may have a text of its own. */
function isSaid(value: unknown, texts: readonly string[]): boolean {
  const isOf = (one: unknown, text: string): boolean => one === text || isDeepStrictEqual(one, valueIn(text));
  if (texts.length < 2 && isOf(value, texts[0] ?? 'null')) return true;
  return (
    Array.isArray(value) && value.length === texts.length && texts.every((text, at) => isOf(value[at], text))
  );
}
