import { readFileSync } from 'node:fs';
import { Lexicon, stemsIn } from './lexicon.ts';
import type { Cue, Entry, StandIns } from './lexicon.ts';
import { once } from './once.ts';

const ALIKE_WORTH = 0.5;
const SAID_WORTH = 0.6;
const CUE_WORTH = 0.7;
/** A cue that can be said in more ways than this is the less worth, as it is sooner said by chance. */
const CUE_WAYS = 30;
const CUE_FALL = 0.4;
const FOREIGN_WORTH = 0.8;
const ABOUT_WORTH = 0.35;
/** Words that may stand between two words of a phrase. */
const MAX_GAP = 1;

interface Thesaurus {
  readonly lexicon: Lexicon;
  readonly stopWords: ReadonlySet<string>;
  readonly fillers: ReadonlySet<string>;
  readonly products: ReadonlySet<string>;
  readonly weakStems: ReadonlySet<string>;
  readonly longByShort: ReadonlyMap<string, readonly string[]>;
  readonly actsByVerb: ReadonlyMap<string, readonly string[]>;
}
/** A known phrase among stems: its key, and the places of the stems that make it. */
export interface Phrase {
  readonly key: string;
  readonly places: readonly number[];
}

const thesaurus = once(readThesaurus);

function readThesaurus(): Thesaurus {
  const fillers = new Set(wordsIn('fillers'));
  return {
    lexicon: new Lexicon(entries(), fillers),
    stopWords: new Set(wordsIn('stop')),
    fillers: new Set(stemsIn([...fillers].join(' '))),
    products: new Set(wordsIn('products').flatMap(stemsIn)),
    weakStems: new Set(wordsIn('weak').flatMap(stemsIn)),
    longByShort: new Map(pairsOf('short').map(([short, long]) => [short, stemsIn(long)])),
    actsByVerb: actsByVerb(),
  };
}

function entries(): Entry[] {
  const said = [...pairsOf('said'), ...pairsOf('fields')];
  return [
    ...said.map(([one, meant]) => ({ said: one, meant, worth: SAID_WORTH })),
    ...cueEntries(),
    ...pairsOf('foreign').map(([one, meant]) => ({ said: one, meant, worth: FOREIGN_WORTH })),
    ...pairsOf('about').flatMap(([product, about]) =>
      about.split(' ').map((one) => ({ said: one, meant: product, worth: ABOUT_WORTH })),
    ),
    ...linesOf('alike').flatMap((line) => {
      const meant = line.replaceAll('-', '');
      return meant.split(' ').map((one) => ({ said: one, meant, worth: ALIKE_WORTH }));
    }),
  ];
}

/** The words of the smallest group lead to a cue; the others have to be there. */
function cueEntries(): Entry[] {
  const groups = new Map(pairsOf('groups'));
  const wordsIn = (group: string): string[] =>
    group.split('|').flatMap((one) => groups.get(one)?.split(' ') ?? one);
  return pairsOf('cues').flatMap(([cue, meant]) => {
    const [first = [], ...beside] = cue
      .split(' + ')
      .map(wordsIn)
      .sort((a, b) => a.length - b.length);
    const ways = beside.reduce((product, group) => product * group.length, first.length);
    const worth = CUE_WORTH * Math.min(1, (CUE_WAYS / ways) ** CUE_FALL);
    return first.map((said) => ({ said, beside, meant, worth }));
  });
}

function actsByVerb(): ReadonlyMap<string, readonly string[]> {
  const acts = new Map<string, readonly string[]>();
  for (const [act, verbs] of pairsOf('acts')) {
    for (const verb of stemsIn(verbs)) acts.set(verb, [...(acts.get(verb) ?? []), act]);
  }
  return acts;
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

/** What a verb does, as the kinds of acts.txt. */
export function actsOf(stemmed: string): readonly string[] {
  return thesaurus().actsByVerb.get(stemmed) ?? [];
}

/** @param key a stem, or the stems of a phrase with a space between */
export function standInsOf(key: string): StandIns | undefined {
  return thesaurus().lexicon.standInsOf(key);
}

/** Stems of the words that a short form stands for. */
export function longFormOf(stemmed: string): readonly string[] | undefined {
  return thesaurus().longByShort.get(stemmed);
}

/** The longest known phrase that begins at a place; fillers and one other word may stand between its words. */
export function phraseAt(stems: readonly string[], at: number): Phrase | undefined {
  for (const phrase of thesaurus().lexicon.phrasesFrom(stems[at] ?? '')) {
    const places = placesOf(phrase, stems, at);
    if (places !== undefined) return { key: phrase.join(' '), places };
  }
  return undefined;
}

/** Keys of what a word means in the company of the others of a query. */
export function cuesAt(stemmed: string, company: ReadonlySet<string>): readonly Cue[] {
  const cues = thesaurus().lexicon.cuesFrom(stemmed);
  return cues.filter(({ beside }) => beside.every((group) => group.some((one) => company.has(one))));
}

function placesOf(wanted: readonly string[], stems: readonly string[], from: number): number[] | undefined {
  const { fillers } = thesaurus();
  const places: number[] = [];
  let at = from;
  for (const one of wanted) {
    for (let gap = MAX_GAP; at < stems.length && stems[at] !== one; at += 1) {
      if (!fillers.has(stems[at] ?? '') && gap-- === 0) return undefined;
    }
    if (at === stems.length) return undefined;
    places.push(at);
    at += 1;
  }
  return places;
}

/** `a, b c > d e`: what each of the left side stands for. */
function pairsOf(name: string): readonly (readonly [string, string])[] {
  return linesOf(name).flatMap((line) => {
    const [left = '', right = ''] = line.split(' > ');
    return left.split(', ').map((one) => [one, right] as const);
  });
}

function wordsIn(name: string): readonly string[] {
  return linesOf(name).flatMap((line) => line.split(' '));
}

function linesOf(name: string): readonly string[] {
  const file = new URL(`../../../plugins/metatools/thesaurus/${name}.txt`, import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}
