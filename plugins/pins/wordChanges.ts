import { canonicalText } from './fingerprint.ts';
import type { JsonObject } from 'pegboard';

/** A run of words that both texts have, or one of them. */
export interface Words {
  readonly in: 'both' | 'before' | 'after';
  readonly text: string;
}
/** What has changed in one part of a declaration. */
export interface PartChange {
  readonly part: string;
  readonly words: readonly Words[];
}

/** Pairs of words to compare; texts with more are shown whole. */
const MAX_PAIRS = 4_000_000;
const MAX_SAME = 12;

/** The parts of a declaration that are not the same, each as runs of words. @param before undefined: it is not known */
export function partChanges(before: JsonObject | undefined, after: JsonObject): readonly PartChange[] {
  const parts = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]);
  return [...parts].flatMap((part) => {
    const [old, now] = [shownPart(before?.[part]), shownPart(after[part])];
    if (before !== undefined && canonicalText(before[part]) === canonicalText(after[part])) return [];
    return [{ part, words: wordChanges(old, now) }];
  });
}

function shownPart(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(JSON.parse(canonicalText(value)), null, 1);
}

/** Runs of words of two texts; long runs that are the same are shortened. */
export function wordChanges(before: string, after: string): readonly Words[] {
  const [a, b] = [wordsIn(before), wordsIn(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const runs: { in: Words['in']; words: string[] }[] = [];
  const add = (where: Words['in'], words: readonly string[]): void => {
    const last = runs.at(-1);
    if (words.length === 0) return;
    if (last?.in === where) last.words.push(...words);
    else runs.push({ in: where, words: [...words] });
  };
  add('both', a.slice(0, start));
  const [oldWords, newWords] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (oldWords.length * newWords.length > MAX_PAIRS) {
    add('before', oldWords);
    add('after', newWords);
  } else for (const [where, word] of compared(oldWords, newWords)) add(where, [word]);
  add('both', a.slice(a.length - end));
  return runs.map((run) => ({
    in: run.in,
    text: run.in === 'both' ? shortened(run.words) : run.words.join(''),
  }));
}

function wordsIn(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^]/gu) ?? [];
}

function* compared(a: readonly string[], b: readonly string[]): Generator<readonly [Words['in'], string]> {
  const width = b.length + 1;
  // Length of the longest common subsequence of a[i…] and b[j…].
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && a[i] === b[j]) {
      yield ['both', a[i] ?? ''];
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1)))
      yield ['before', a[i++] ?? ''];
    else yield ['after', b[j++] ?? ''];
  }
}

function shortened(words: readonly string[]): string {
  if (words.length <= 3 * MAX_SAME) return words.join('');
  return `${words.slice(0, MAX_SAME).join('')} … ${words.slice(-MAX_SAME).join('')}`;
}
