/** Which of two versions of npm or Python is later: negative, 0 or positive. A part that is missing counts as 0, so `1.0` and `1.0.0`
 *  are one. What is before a final version comes before it, and a `post` after it.
 *  Source: https://semver.org/#spec-item-11, https://peps.python.org/pep-0440/ */
export function versionOrder(one: string, other: string): number {
  const [a, b] = [readVersion(one), readVersion(other)];
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at += 1) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.phase !== b.phase) return a.phase - b.phase;
  for (let at = 0; at < Math.max(a.rest.length, b.rest.length); at += 1) {
    const difference = partOrder(a.rest[at], b.rest[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

interface Version {
  /** The epoch, then those of the release. */
  readonly numbers: readonly number[];
  /** -1: before the final one, 1: after it. */
  readonly phase: -1 | 0 | 1;
  readonly rest: readonly string[];
}

function readVersion(text: string): Version {
  const plain = text.toLowerCase().replace(/^v|\+.*$/gs, '');
  const [, epoch = '0', release = '', rest = ''] = /^(?:(\d+)!)?(\d+(?:\.\d+)*)?(.*)$/s.exec(plain) ?? [];
  const phase = rest === '' ? 0 : /^[.-]?post/.test(rest) ? 1 : -1;
  return {
    numbers: [Number(epoch), ...release.split('.').map(Number)],
    phase,
    rest: rest.match(/\d+|[a-z]+/g) ?? [],
  };
}

function partOrder(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1;
  const [a, b] = [Number(one), Number(other)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return one < other ? -1 : Number(one > other);
}
