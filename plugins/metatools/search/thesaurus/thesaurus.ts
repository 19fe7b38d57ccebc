import { setImmediate as turn } from 'node:timers/promises';
import { Lexicon, stemsIn } from './lexicon.ts';
import type { Cue, StandIns } from './lexicon.ts';
import { readMeanings } from './readMeanings.ts';
import type { Sayings } from './readMeanings.ts';
import { once } from '../once.ts';
import { linesOf, sidesOf, wordsIn } from './wordFiles.ts';

/** Lines that are read before others get their turn. */
const LINES_AT_ONCE = 200;
/** Words that may stand between two words of a phrase. */
const MAX_GAP = 1;
/** Words from one word of a phrase of two to the other, where the phrase is not said as it is. */
const NEAR = 5;

interface Thesaurus {
  readonly lexicon: Lexicon;
  /** What the lexicon does not hold yet. */
  readonly rest: Iterator<Sayings, undefined>;
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

const thesaurus = once((): Thesaurus => {
  const fillers = new Set(wordsIn('fillers'));
  return {
    lexicon: new Lexicon(fillers),
    rest: readMeanings(),
    stopWords: new Set(wordsIn('stop')),
    fillers: new Set(stemsIn([...fillers].join(' '))),
    products: new Set(wordsIn('products').flatMap(stemsIn)),
    weakStems: new Set(wordsIn('weak').flatMap(stemsIn)),
    longByShort: new Map(
      linesOf('short')
        .map(sidesOf)
        .map(([short, long]) => [short, stemsIn(long)]),
    ),
    actsByVerb: actsByVerb(),
  };
});

/** Reads what is asked for first without holding up others; whoever does not wait reads all at once. */
export async function readThesaurus(): Promise<void> {
  while (!readOn(LINES_AT_ONCE)) await turn();
}

/** @returns whether all is read */
function readOn(lines: number): boolean {
  const { lexicon, rest } = thesaurus();
  for (let count = 0; count < lines; count += 1) {
    const next = rest.next();
    if (next.done === true) return true;
    const { said, meaning } = next.value;
    for (const one of said) lexicon.add(one, meaning);
  }
  return false;
}

function wholeLexicon(): Lexicon {
  readOn(Infinity);
  return thesaurus().lexicon;
}

function actsByVerb(): ReadonlyMap<string, readonly string[]> {
  const acts = new Map<string, readonly string[]>();
  for (const [act, verbs] of linesOf('acts').map(sidesOf)) {
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
  return wholeLexicon().standInsOf(key);
}

/** Stems of the words that a short form stands for. */
export function longFormOf(stemmed: string): readonly string[] | undefined {
  return thesaurus().longByShort.get(stemmed);
}

/** The longest known phrase that begins at a place; fillers and one other word may stand between its words. */
export function phraseAt(stems: readonly string[], at: number): Phrase | undefined {
  for (const phrase of wholeLexicon().phrasesFrom(stems[at] ?? '')) {
    const places = placesOf(phrase, stems, at);
    if (places !== undefined) return { key: phrase.join(' '), places };
  }
  return undefined;
}

/** Keys of the known phrases that begin with the word at a place and of which all is said, in any order: a phrase of two
 *  words not far apart. */
export function scatteredAt(
  stems: readonly string[],
  at: number,
  company: ReadonlySet<string>,
): readonly string[] {
  const near = stems.slice(Math.max(0, at - NEAR), at + NEAR + 1);
  const phrases = wholeLexicon().phrasesFrom(stems[at] ?? '');
  const isSaid = (phrase: readonly string[]): boolean =>
    phrase.length > 2 ? phrase.every((one) => company.has(one)) : phrase.every((one) => near.includes(one));
  return phrases.filter(isSaid).map((phrase) => phrase.join(' '));
}

/** Keys of what a word means in the company of the others of a query. */
export function cuesAt(stemmed: string, company: ReadonlySet<string>): readonly Cue[] {
  const cues = wholeLexicon().cuesFrom(stemmed);
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
