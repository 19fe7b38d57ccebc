import type { JsonObject } from 'pegboard';
import { wordDiff } from '../kit/text/wordDiff.ts';
import type { DiffWork, WordChange } from '../kit/text/wordDiff.ts';
import { canonicalText } from './fingerprint.ts';

/** What has changed in one part of a declaration. */
export interface PartChange {
  readonly part: string;
  readonly words: readonly WordChange[];
}

/** Words before and after a change that are shown. */
const MAX_SAME = 12;

/** The parts of a declaration that are not the same, word by word. @param before undefined: it is not known */
export function partChanges(
  before: JsonObject | undefined,
  after: JsonObject,
  work: DiffWork,
): readonly PartChange[] {
  const parts = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]);
  return [...parts].flatMap((part) => {
    if (before !== undefined && canonicalText(before[part]) === canonicalText(after[part])) return [];
    const words = wordDiff(shownPart(before?.[part]), shownPart(after[part]), work);
    return [{ part, words: words.map((one) => (one.change === 'same' ? shortened(one) : one)) }];
  });
}

function shownPart(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(JSON.parse(canonicalText(value)), null, 1);
}

function shortened({ change, text }: WordChange): WordChange {
  const words = text.match(/\s+|\S+/g) ?? [];
  if (words.length <= 3 * MAX_SAME) return { change, text };
  return { change, text: `${words.slice(0, MAX_SAME).join('')} … ${words.slice(-MAX_SAME).join('')}` };
}
