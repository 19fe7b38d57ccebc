import { setImmediate as turn } from 'node:timers/promises';
import { Lexicon, stemsIn } from './lexicon.ts';
import type { Cue, StandIns } from './lexicon.ts';
import { readMeanings } from './readMeanings.ts';
import type { Sayings } from './readMeanings.ts';
import type { Stem } from './stem.ts';
import { sidesOf, wordLists } from './wordFiles.ts';

/** Number of lines read before yielding the event loop. */
const LINES_AT_ONCE = 200;
/** Number of other words allowed between two words of a phrase. */
const MAX_GAP = 1;
/** Maximum distance between the words of a two-word phrase that are not adjacent. */
const NEAR = 5;

/** A known phrase found among stems: its key, and the places of its stems. */
export interface Phrase {
  readonly key: string;
  readonly places: readonly number[];
}

/** The meanings of words from the word files. The lexicon is the largest part and is read in steps. */
export class Thesaurus {
  readonly stem: Stem;
  readonly #lexicon: Lexicon;
  /** Entries not yet added to the lexicon. */
  readonly #rest: Iterator<Sayings, undefined> = readMeanings();
  readonly #stopWords: ReadonlySet<string>;
  readonly #fillerStems: ReadonlySet<string>;
  readonly #products: ReadonlySet<string>;
  readonly #ownWords: ReadonlySet<string>;
  readonly #weakStems: ReadonlySet<string>;
  readonly #longByShort: ReadonlyMap<string, readonly string[]>;
  readonly #actsByVerb: ReadonlyMap<string, readonly string[]>;

  /** Reads the short lists, which takes a few milliseconds. */
  constructor(stem: Stem) {
    const lists = wordLists();
    const linesOf = (list: string): readonly string[] => lists.get(list) ?? [];
    const wordsIn = (list: string): readonly string[] => linesOf(list).flatMap((line) => line.split(' '));
    const fillers = new Set(wordsIn('fillers'));
    this.stem = stem;
    this.#lexicon = new Lexicon(fillers, stem);
    this.#stopWords = new Set(wordsIn('stop'));
    this.#fillerStems = new Set(stemsIn([...fillers].join(' '), stem));
    this.#products = new Set(wordsIn('products').flatMap((words) => stemsIn(words, stem)));
    this.#ownWords = new Set(wordsIn('own'));
    this.#weakStems = new Set(wordsIn('weak').flatMap((words) => stemsIn(words, stem)));
    this.#longByShort = new Map(
      linesOf('short')
        .map(sidesOf)
        .map(([short, long]) => [short, stemsIn(long, stem)]),
    );
    this.#actsByVerb = readActs(linesOf('acts'), stem);
  }

  /** Reads the lexicon, yielding the event loop. A lookup that does not wait for it reads the rest at once. */
  async readLexicon(): Promise<void> {
    while (!this.#readOn(LINES_AT_ONCE)) await turn();
  }

  /** @returns whether everything has been read */
  #readOn(lines: number): boolean {
    for (let count = 0; count < lines; count += 1) {
      const next = this.#rest.next();
      if (next.done === true) return true;
      const { said, meaning } = next.value;
      for (const one of said) this.#lexicon.add(one, meaning);
    }
    return false;
  }

  #wholeLexicon(): Lexicon {
    this.#readOn(Infinity);
    return this.#lexicon;
  }

  isStopWord(word: string): boolean {
    return this.#stopWords.has(word);
  }

  /** Whether a word is a product name, which restricts the query to that product. */
  isProduct(stemmed: string): boolean {
    return this.#products.has(stemmed);
  }

  /** Whether a word names a part of the gateway, so that a query may be about its core tools. */
  isOwnWord(word: string): boolean {
    return this.#ownWords.has(word);
  }

  /** Whether a word adds little meaning to others, such as `list` or `today`. */
  isWeak(stemmed: string): boolean {
    return this.#weakStems.has(stemmed);
  }

  /** The acts of a verb, as in the list acts. */
  actsOf(stemmed: string): readonly string[] {
    return this.#actsByVerb.get(stemmed) ?? [];
  }

  /** @param key a stem, or the stems of a phrase separated by spaces */
  standInsOf(key: string): StandIns | undefined {
    return this.#wholeLexicon().standInsOf(key);
  }

  /** Stems of the long form of an abbreviation. */
  longFormOf(stemmed: string): readonly string[] | undefined {
    return this.#longByShort.get(stemmed);
  }

  /** The longest known phrase that starts at a place; fillers and one other word may be between its words. */
  phraseAt(stems: readonly string[], at: number): Phrase | undefined {
    for (const phrase of this.#wholeLexicon().phrasesFrom(stems[at] ?? '')) {
      const places = this.#placesOf(phrase, stems, at);
      if (places !== undefined) return { key: phrase.join(' '), places };
    }
    return undefined;
  }

  /** Keys of the known phrases that start with the word at a place and whose words all occur, in any order; those of a
   *  two-word phrase must be near each other. */
  scatteredAt(stems: readonly string[], at: number, company: ReadonlySet<string>): readonly string[] {
    const near = stems.slice(Math.max(0, at - NEAR), at + NEAR + 1);
    const phrases = this.#wholeLexicon().phrasesFrom(stems[at] ?? '');
    const isSaid = (phrase: readonly string[]): boolean =>
      phrase.length > 2 ? phrase.every((one) => company.has(one)) : phrase.every((one) => near.includes(one));
    return phrases.filter(isSaid).map((phrase) => phrase.join(' '));
  }

  /** The cues of a word whose other words also occur in the query. */
  cuesAt(stemmed: string, company: ReadonlySet<string>): readonly Cue[] {
    const cues = this.#wholeLexicon().cuesFrom(stemmed);
    return cues.filter(({ beside }) => beside.every((group) => group.some((one) => company.has(one))));
  }

  #placesOf(wanted: readonly string[], stems: readonly string[], from: number): number[] | undefined {
    const places: number[] = [];
    let at = from;
    for (const one of wanted) {
      for (let gap = MAX_GAP; at < stems.length && stems[at] !== one; at += 1) {
        if (!this.#fillerStems.has(stems[at] ?? '') && gap-- === 0) return undefined;
      }
      if (at === stems.length) return undefined;
      places.push(at);
      at += 1;
    }
    return places;
  }
}

function readActs(lines: readonly string[], stem: Stem): ReadonlyMap<string, readonly string[]> {
  const acts = new Map<string, readonly string[]>();
  for (const [act, verbs] of lines.map(sidesOf)) {
    for (const verb of stemsIn(verbs, stem)) acts.set(verb, [...(acts.get(verb) ?? []), act]);
  }
  return acts;
}
