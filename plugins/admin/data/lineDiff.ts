export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Pairs of lines that are compared at most; beyond that, all lines between the equal ends are replaced. */
const MAX_PAIRS = 4_000_000;

/** The lines of both texts, by their longest common subsequence. Source: https://en.wikipedia.org/wiki/Longest_common_subsequence */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [one, two] = [linesIn(before), linesIn(after)];
  let start = 0;
  while (start < one.length && start < two.length && one[start] === two[start]) start += 1;
  let end = 0;
  const most = Math.min(one.length, two.length) - start;
  while (end < most && one.at(-1 - end) === two.at(-1 - end)) end += 1;
  const [old, fresh] = [one.slice(start, one.length - end), two.slice(start, two.length - end)];
  return [
    ...signed(' ', one.slice(0, start)),
    ...(old.length * fresh.length > MAX_PAIRS
      ? [...signed('-', old), ...signed('+', fresh)]
      : between(old, fresh)),
    ...signed(' ', one.slice(one.length - end)),
  ];
}

function between(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  const width = fresh.length + 1;
  // lengths[at * width + to]: of the longest common subsequence of old from `at` and fresh from `to` on.
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (at: number, to: number): number => lengths[at * width + to] ?? 0;
  for (let at = old.length - 1; at >= 0; at -= 1)
    for (let to = fresh.length - 1; to >= 0; to -= 1)
      lengths[at * width + to] =
        old[at] === fresh[to]
          ? lengthAt(at + 1, to + 1) + 1
          : Math.max(lengthAt(at + 1, to), lengthAt(at, to + 1));
  const lines: DiffLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < fresh.length) {
    if (at < old.length && to < fresh.length && old[at] === fresh[to]) {
      lines.push({ sign: ' ', text: old[at] ?? '' });
      [at, to] = [at + 1, to + 1];
    } else if (to === fresh.length || (at < old.length && lengthAt(at + 1, to) >= lengthAt(at, to + 1))) {
      lines.push({ sign: '-', text: old[at] ?? '' });
      at += 1;
    } else {
      lines.push({ sign: '+', text: fresh[to] ?? '' });
      to += 1;
    }
  }
  return lines;
}

function signed(sign: DiffLine['sign'], texts: readonly string[]): readonly DiffLine[] {
  return texts.map((text) => ({ sign, text }));
}

function linesIn(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
