import { shownText } from './shownText.ts';

/** Words of two texts: those of both, those only in the first, and those only in the second. */
export interface WordChange {
  readonly change: 'same' | 'removed' | 'added';
  /** Safe to show on a terminal and in a page: what is invisible in it is written as an escape. */
  readonly text: string;
}

/** Pairs of words that may still be compared: a million take about 20 ms. Beyond, what differs of a text is one change. */
export interface DiffWork {
  pairs: number;
}

/** More than a description has; beyond, the middle of both texts is one change, because the work grows with their product. */
const MAX_WORDS = 2_000;
/** A word, white space, or one character of another kind. */
const WORD = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/** What makes the second text of the first, word by word. @param work what several comparisons may take together */
export function wordDiff(
  before: string,
  after: string,
  work: DiffWork = { pairs: Infinity },
): readonly WordChange[] {
  const [a, b] = [before.match(WORD) ?? [], after.match(WORD) ?? []];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const changes: { readonly change: WordChange['change']; readonly words: string[] }[] = [];
  const add = (change: WordChange['change'], words: readonly string[]): void => {
    if (words.length === 0) return;
    if (changes.at(-1)?.change !== change) changes.push({ change, words: [] });
    for (const word of words) changes.at(-1)?.words.push(word);
  };
  add('same', a.slice(0, head));
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const pairs = left.length * right.length;
  const isTooMuch = Math.max(left.length, right.length) > MAX_WORDS || pairs > work.pairs;
  if (isTooMuch || pairs === 0) {
    add('removed', left);
    add('added', right);
  } else {
    work.pairs -= pairs;
    middle(left, right, add);
  }
  add('same', a.slice(a.length - tail));
  return changes.map(({ change, words }) => ({ change, text: shownText(words.join('')) }));
}

/** The changes in one line, as `git diff --word-diff` writes them: `[-old-]{+new+}`. */
export function wordDiffText(changes: readonly WordChange[]): string {
  return changes
    .map(({ change, text }) => {
      // What looks like a mark is not one.
      const plain = text.replaceAll(/[[\]{}](?=[-+])|(?<=[-+])[\]}]/g, '\\$&');
      return change === 'same' ? plain : change === 'removed' ? `[-${plain}-]` : `{+${plain}+}`;
    })
    .join('');
}

/** Adds what two lists differ in, by their longest common subsequence. */
function middle(
  a: readonly string[],
  b: readonly string[],
  add: (change: WordChange['change'], words: readonly string[]) => void,
): void {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isRemoved = i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1));
    if (i < a.length && a[i] === b[j]) {
      add('same', [a[i++] ?? '']);
      j += 1;
    } else if (isRemoved) add('removed', [a[i++] ?? '']);
    else add('added', [b[j++] ?? '']);
  }
}
