import type { CallResult } from 'pegboard';

/** The result of a step's call. */
export interface StepOutcome {
  readonly isError: boolean;
  readonly value: unknown;
  /** All text of an error result. */
  readonly text: string;
}

/** What a step's result is: the value of the first text if that is JSON, else `structuredContent`, else the text; null if there is
 *  none of them. */
export function readResult(result: CallResult): StepOutcome {
  const { content, structuredContent, isError } = result.value();
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = items.flatMap((item) => textOf(item) ?? []);
  const first = textOf(items[0]);
  return {
    isError: isError === true,
    value: first === undefined ? (structuredContent ?? null) : parsed(first, structuredContent),
    text: texts.join('\n'),
  };
}

function textOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('text' in item)) return undefined;
  return 'type' in item && item.type === 'text' && typeof item.text === 'string' ? item.text : undefined;
}

/** An object, a list, or a scalar that prints back as it was: `1.10` and `12e4567` stay text. */
function parsed(text: string, structured: unknown): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' || JSON.stringify(value) === text.trim()) return value;
  } catch {
    // Most texts are not JSON.
  }
  return structured ?? text;
}
