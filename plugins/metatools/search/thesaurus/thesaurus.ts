import { setImmediate as turn } from 'node:timers/promises';
import { Lexicon, stemsIn } from './lexicon.ts';
import type { Cue, StandIns } from './lexicon.ts';
import { readMeanings } from './readMeanings.ts';
import type { Sayings } from './readMeanings.ts';
import type { Stem } from './stem.ts';
import { linesOf, sidesOf, wordsIn } from './wordFiles.ts';

/** Lines that are read before others get their turn. */
const LINES_AT_ONCE = 200;
/** Words that may stand between two words of a phrase. */
const MAX_GAP = 1;
/** Words from one word of a phrase of two to the other, where the phrase is not said as it is. */
const NEAR = 5;

/** A known phrase among stems: its key, and the places of the stems that make it. */
export interface Phrase {
  readonly key: string;
  readonly places: readonly number[];
}

/** What words mean, as the word files say. The lexicon is most of it and is read in steps. */
export class Thesaurus {
  readonly stem: Stem;
  readonly #lexicon: Lexicon;
  /** What the lexicon does not hold yet. */
  readonly #rest: Iterator<Sayings, undefined> = readMeanings();
  readonly #stopWords: ReadonlySet<string>;
  readonly #fillerStems: ReadonlySet<string>;
  readonly #products: ReadonlySet<string>;
  readonly #weakStems: ReadonlySet<string>;
  readonly #longByShort: ReadonlyMap<string, readonly string[]>;
  readonly #actsByVerb: ReadonlyMap<string, readonly string[]>;

  /** Reads the shorter files: some milliseconds. */
  constructor(stem: Stem) {
    const fillers = new Set(wordsIn('fillers'));
    this.stem = stem;
    this.#lexicon = new Lexicon(fillers, stem);
    this.#stopWords = new Set(wordsIn('stop'));
    this.#fillerStems = new Set(stemsIn([...fillers].join(' '), stem));
    this.#products = new Set(wordsIn('products').flatMap((words) => stemsIn(words, stem)));
    this.#weakStems = new Set(wordsIn('weak').flatMap((words) => stemsIn(words, stem)));
    this.#longByShort = new Map(
      linesOf('short')
        .map(sidesOf)
        .map(([short, long]) => [short, stemsIn(long, stem)]),
    );
    this.#actsByVerb = readActs(stem);
  }

  /** Reads the lexicon without holding up others. A question that does not wait for it reads the rest at once. */
  async readLexicon(): Promise<void> {
    while (!this.#readOn(LINES_AT_ONCE)) await turn();
  }

  /** @returns whether all is read */
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

  /** Whether a word is the name of a product, so that a query with it is about nothing else. */
  isProduct(stemmed: string): boolean {
    return this.#products.has(stemmed);
  }

  /** Whether a word says little beside others, such as `list` or `today`. */
  isWeak(stemmed: string): boolean {
    return this.#weakStems.has(stemmed);
  }

  /** What a verb does, as the kinds of acts.txt. */
  actsOf(stemmed: string): readonly string[] {
    return this.#actsByVerb.get(stemmed) ?? [];
  }

  /** @param key a stem, or the stems of a phrase with a space between */
  standInsOf(key: string): StandIns | undefined {
    return this.#wholeLexicon().standInsOf(key);
  }

  /** Stems of the words that a short form stands for. */
  longFormOf(stemmed: string): readonly string[] | undefined {
    return this.#longByShort.get(stemmed);
  }

  /** The longest known phrase that begins at a place; fillers and one other word may stand between its words. */
  phraseAt(stems: readonly string[], at: number): Phrase | undefined {
    for (const phrase of this.#wholeLexicon().phrasesFrom(stems[at] ?? '')) {
      const places = this.#placesOf(phrase, stems, at);
      if (places !== undefined) return { key: phrase.join(' '), places };
    }
    return undefined;
  }

  /** Keys of the known phrases that begin with the word at a place and of which all is said, in any order: a phrase of two
   *  words not far apart. */
  scatteredAt(stems: readonly string[], at: number, company: ReadonlySet<string>): readonly string[] {
    const near = stems.slice(Math.max(0, at - NEAR), at + NEAR + 1);
    const phrases = this.#wholeLexicon().phrasesFrom(stems[at] ?? '');
    const isSaid = (phrase: readonly string[]): boolean =>
      phrase.length > 2 ? phrase.every((one) => company.has(one)) : phrase.every((one) => near.includes(one));
    return phrases.filter(isSaid).map((phrase) => phrase.join(' '));
  }

  /** Keys of what a word means in the company of the others of a query. */
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

function readActs(stem: Stem): ReadonlyMap<string, readonly string[]> {
  const acts = new Map<string, readonly string[]>();
  for (const [act, verbs] of linesOf('acts').map(sidesOf)) {
    for (const verb of stemsIn(verbs, stem)) acts.set(verb, [...(acts.get(verb) ?? []), act]);
  }
  return acts;
}
