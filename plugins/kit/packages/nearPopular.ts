import type { NamedPackage } from './packageIn.ts';
import { OWNERS, POPULAR } from './popularNames.ts';

type Registry = NamedPackage['registry'];

/** Words that most names of servers have, so that they tell none from another. */
const COMMON = ['mcp', 'server', 'modelcontextprotocol'];
/** Letters of other scripts, and of ours, that a reader takes for these. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аαɑ',
    b: 'в',
    c: 'с',
    d: 'ԁ',
    e: 'е',
    g: 'ɡ',
    h: 'һн',
    j: 'ј',
    k: 'к',
    l: 'іӏιıℓ1i',
    m: 'м',
    n: 'ո',
    o: 'оο0',
    p: 'рρ',
    s: 'ѕ',
    t: 'т',
    v: 'ν',
    x: 'х',
    y: 'у',
  }).flatMap(([letter, others]) => Array.from(others, (one) => [one, letter] as const)),
);
/** From this length on, a word that tells a name apart may have one slip, or two. */
const [ONE_SLIP_CHARS, TWO_SLIPS_CHARS] = [4, 9];
/** A name without its scope is taken for one with it from this length on: `mcp` and `magic` are anyone's. */
const DISTINCT_CHARS = 9;
/** No registry has a longer name, and to compare one takes long: the definition may be a stranger's. */
const MAX_CHARS = 255;

/** The popular package that a name is easily taken for; undefined if it is one, or near none. */
export function nearPopular({ registry, name }: Pick<NamedPackage, 'registry' | 'name'>): string | undefined {
  if (name.length > MAX_CHARS) return undefined;
  const own = plainName(name, registry).slice(0, MAX_CHARS);
  const known = POPULAR[registry];
  if (known.some((one) => plainName(one, registry) === own)) return undefined;
  const near = known.find((one) => {
    const other = plainName(one, registry);
    // Who owns the scope of the one has published the other.
    return !(other.includes('/') && scopeOf(other) === scopeOf(own)) && isNear(own, other);
  });
  return near ?? ofNearOwner(own, registry);
}

/** `@model-context-protocol/x` in place of `@modelcontextprotocol/x`, or `ghrc.io/x` of `ghcr.io/x`. */
function ofNearOwner(own: string, registry: Registry): string | undefined {
  const [first = '', ...rest] = own.split('/');
  const owners = OWNERS[registry];
  if (rest.length === 0 || owners.includes(first)) return undefined;
  const owner = owners.find((one) => isSlip(lettersOf(first), lettersOf(one)));
  return owner && [owner, ...rest].join('/');
}

function isNear(own: string, other: string): boolean {
  const [one, two] = [lettersOf(own), lettersOf(other)];
  if (one === two) return true;
  // Without the scope, or the host of an image.
  const without = other.slice(other.indexOf('/') + 1);
  const isDistinct = without.length >= DISTINCT_CHARS && coreOf(without).length > 0;
  if (isDistinct && lettersOf(without) === one) return true;
  const [core, otherCore] = [coreOf(own), coreOf(other)];
  if (otherCore.length === 0) return false;
  // What is the same but for a common word is near with two slips there: `dbt-mpc`.
  if (core.join('') === otherCore.join('')) return slips(one, two, 2) <= 2;
  const [few, many] =
    core.length === otherCore.length ? [core, otherCore] : [[core.join('')], [otherCore.join('')]];
  return many.every((word, at) => isSlip(few[at] ?? '', word)) && slips(one, two, 2) <= 2;
}

/** Whether a word may be another that was mistyped: short ones are near each other by chance. */
function isSlip(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  const allowed = length >= TWO_SLIPS_CHARS ? 2 : length >= ONE_SLIP_CHARS ? 1 : 0;
  return slips(one, other, allowed) <= allowed;
}

/** What tells a name apart: its words without common ones, mistyped or not. */
function coreOf(name: string): readonly string[] {
  const words = name.split(/[^\p{L}\d]+/u).map(lettersOf);
  return words.filter((word) => word !== '' && !COMMON.some((common) => slips(word, common, 1) <= 1));
}

/** In small letters, as its registry reads it: where `-`, `_` and `.` are one, and Docker Hub need not be named. */
function plainName(name: string, registry: Registry): string {
  const small = name.normalize('NFKC').toLowerCase();
  if (registry === 'pypi') return small.replaceAll(/[-_.]+/g, '-');
  return registry === 'oci'
    ? small.replace(/^(?:(?:index\.)?docker\.io|registry-1\.docker\.io)\//, '')
    : small;
}

function scopeOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

/** `@scope/a-b` and `scope-a-b` look alike, and so do `rn` and `m`. */
function lettersOf(name: string): string {
  const own = Array.from(name, (letter) => LOOKALIKES.get(letter) ?? letter).join('');
  return own
    .replaceAll(/[^\p{L}\d]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

/** How many letters are added, left out, replaced, or swapped with their neighbour; more than `most` if it is more. */
function slips(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    const [before = [], earlier = []] = [rows[i - 1], rows[i - 2]];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          (before[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (before[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (earlier[j - 2] ?? 0) + 1 : most + 1,
        ),
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? most + 1;
}
