import { readFileSync } from 'node:fs';
import { once } from './once.ts';
import { stem } from './stem.ts';
import { wordsOf } from './words.ts';

/** Stems by which tools may be described, and how much a match of each is worth, 0…1. */
export type StandIns = ReadonlyMap<string, number>;

const ALIKE_WORTH = 0.55;
const SAID_WORTH = 0.5;
const FOREIGN_WORTH = 0.8;
const MAX_PHRASE_WORDS = 4;

interface Thesaurus {
  readonly stopWords: ReadonlySet<string>;
  readonly products: ReadonlySet<string>;
  readonly weakStems: ReadonlySet<string>;
  readonly longByShort: ReadonlyMap<string, readonly string[]>;
  readonly standInsByKey: ReadonlyMap<string, StandIns>;
}

const thesaurus = once(readThesaurus);

function readThesaurus(): Thesaurus {
  const standInsByKey = new Map<string, Map<string, number>>();
  const add = (key: string, stems: readonly string[], worth: number): void => {
    const standIns = standInsByKey.get(key) ?? new Map<string, number>();
    for (const one of stems) {
      if (one !== key) standIns.set(one, Math.max(standIns.get(one) ?? 0, worth));
    }
    standInsByKey.set(key, standIns);
  };
  for (const line of linesOf('alike')) {
    const stems = line.split(' ').map((word) => stem(word.replaceAll('-', '')));
    for (const one of stems) add(one, stems, ALIKE_WORTH);
  }
  for (const [said, meant] of pairsOf('said')) add(said, stemsOf(meant), SAID_WORTH);
  for (const [foreign, english] of pairsOf('foreign')) add(foreign, stemsOf(english), FOREIGN_WORTH);
  return {
    stopWords: new Set(linesOf('stop').flatMap((line) => line.split(' '))),
    products: new Set(linesOf('products').flatMap((line) => line.trim().split(' ').map(stem))),
    weakStems: new Set(linesOf('weak').flatMap((line) => line.split(' ').map(stem))),
    longByShort: new Map(pairsOf('short').map(([short, long]) => [short, stemsOf(long)])),
    standInsByKey,
  };
}

export function isStopWord(word: string): boolean {
  return thesaurus().stopWords.has(word);
}

/** Whether a word is the name of a product, so that a query with it is about nothing else. */
export function isProduct(stemmed: string): boolean {
  return thesaurus().products.has(stemmed);
}

/** Whether a word says little beside others, such as `list` or `today`. */
export function isWeak(stemmed: string): boolean {
  return thesaurus().weakStems.has(stemmed);
}

/** @param key a stem, or the stems of a phrase with a space between */
export function standInsOf(key: string): StandIns | undefined {
  return thesaurus().standInsByKey.get(key);
}

/** Stems of the words that a short form stands for. */
export function longFormOf(stemmed: string): readonly string[] | undefined {
  return thesaurus().longByShort.get(stemmed);
}

/** How many of the stems from `at` on are one known phrase; 1 when there is none. */
export function phraseLength(stems: readonly string[], at: number): number {
  for (let length = Math.min(MAX_PHRASE_WORDS, stems.length - at); length > 1; length -= 1) {
    if (thesaurus().standInsByKey.has(stems.slice(at, at + length).join(' '))) return length;
  }
  return 1;
}

/** `a, b c > d e`: what each of the left side stands for. */
function pairsOf(name: string): readonly (readonly [string, string])[] {
  return linesOf(name).flatMap((line) => {
    const [left = '', right = ''] = line.split(' > ');
    return left.split(', ').map((one) => [stemsOf(one).join(' '), right] as const);
  });
}

function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map(stem);
}

function linesOf(name: string): readonly string[] {
  const file = new URL(`../../../plugins/metatools/thesaurus/${name}.txt`, import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}
