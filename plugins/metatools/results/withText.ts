import { rawResult } from 'pegboard';
import type { CallResult } from 'pegboard';
import { rawMember, splitArray, withRawMember } from '../../kit/text/rawJson.ts';

/** A result with one more text item at the end of its content; unchanged if it has none. */
export function withText(result: CallResult, text: string): CallResult {
  const content = rawMember(result.json, 'content');
  if (content?.startsWith('[') !== true) return result;
  const items = [...splitArray(content), JSON.stringify({ type: 'text', text })];
  return rawResult(withRawMember(result.json, 'content', `[${items.join()}]`));
}
