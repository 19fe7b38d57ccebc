import type { Stem } from './stem.ts';

/** Stems that a tool may contain instead of the query word, each with the worth of a match, 0…1. */
export type StandIns = ReadonlyMap<string, number>;
/** The stand-ins of a word or phrase. */
export interface Meaning {
  readonly meant: string;
  readonly worth: number;
  /** Groups of words; the query must also contain one word of each group. */
  readonly beside?: readonly (readonly string[])[];
}
/** A meaning that a word has only together with other words, and the key of its stand-ins. */
export interface Cue {
  readonly key: string;
  readonly meant: string;
  readonly beside: readonly (readonly string[])[];
}
interface Section {
  readonly standInsByKey: ReadonlyMap<string, Map<string, number>>;
  /** Phrases as lists of stems, by their first stem, longest first. */
  readonly phrasesByFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly cuesByFirst: ReadonlyMap<string, readonly Cue[]>;
}
interface Entries {
  readonly said: string[];
  /** One for each of `said`; the words of a line share one. */
  readonly meanings: Meaning[];
}

interface Stemmed {
  readonly meantStems: readonly string[];
  readonly beside: Cue['beside'] | undefined;
}

const START_CHARS = 3;
const EMPTY: Section = { standInsByKey: new Map(), phrasesByFirst: new Map(), cuesByFirst: new Map() };

/** Meanings by stems. Stemming thousands of phrases takes long, so they are stemmed in sections, by the first letters of
 *  the first stem, when a section is first used. */
export class Lexicon {
  readonly #fillers: ReadonlySet<string>;
  readonly #stem: Stem;
  readonly #entriesByStart = new Map<string, Entries>();
  readonly #sectionByStart = new Map<string, Section>();
  /** Words of a line share their meaning, so it is stemmed once. */
  readonly #stemmedByMeaning = new Map<Meaning, Stemmed>();

  constructor(fillers: ReadonlySet<string>, stem: Stem) {
    this.#fillers = fillers;
    this.#stem = stem;
  }

  /** Adds an entry; must be called before the first lookup. */
  add(said: string, meaning: Meaning): void {
    const start = startOf(this.#stem(this.#firstWord(said)));
    let entries = this.#entriesByStart.get(start);
    if (entries === undefined) this.#entriesByStart.set(start, (entries = { said: [], meanings: [] }));
    entries.said.push(said);
    entries.meanings.push(meaning);
  }

  /** @param key a stem, or the stems of a phrase separated by spaces */
  standInsOf(key: string): StandIns | undefined {
    return this.#section(key).standInsByKey.get(key);
  }

  phrasesFrom(first: string): readonly (readonly string[])[] {
    return this.#section(first).phrasesByFirst.get(first) ?? [];
  }

  cuesFrom(first: string): readonly Cue[] {
    return this.#section(first).cuesByFirst.get(first) ?? [];
  }

  #section(key: string): Section {
    const start = startOf(key);
    const entries = this.#entriesByStart.get(start);
    if (entries === undefined) return EMPTY;
    const section = this.#sectionByStart.get(start) ?? this.#read(entries);
    this.#sectionByStart.set(start, section);
    return section;
  }

  #read({ said, meanings }: Entries): Section {
    const standInsByKey = new Map<string, Map<string, number>>();
    const phrasesByFirst = new Map<string, string[][]>();
    const cuesByFirst = new Map<string, Cue[]>();
    for (const [at, meaning] of meanings.entries()) {
      const { meant, worth } = meaning;
      const { meantStems, beside } = this.#stemmed(meaning);
      const stems = stemsIn(this.#plain(said[at] ?? ''), this.#stem);
      const own = stems.join(' ');
      const key = beside === undefined ? own : `${own} > ${meant}`;
      if (beside !== undefined) push(cuesByFirst, own, { key, meant, beside });
      let standIns = standInsByKey.get(key);
      if (standIns === undefined) {
        standInsByKey.set(key, (standIns = new Map<string, number>()));
        const [first = ''] = stems;
        if (stems.length > 1 && beside === undefined) push(phrasesByFirst, first, stems);
      }
      for (const one of meantStems) {
        if (one !== key) standIns.set(one, Math.max(standIns.get(one) ?? 0, worth));
      }
    }
    for (const phrases of phrasesByFirst.values()) phrases.sort((a, b) => b.length - a.length);
    return { standInsByKey, phrasesByFirst, cuesByFirst };
  }

  #stemmed(meaning: Meaning): Stemmed {
    let stemmed = this.#stemmedByMeaning.get(meaning);
    if (stemmed === undefined) {
      const { meant, beside } = meaning;
      stemmed = {
        meantStems: stemsIn(meant, this.#stem),
        beside: beside?.map((group) => [...new Set(group.map(this.#stem))]),
      };
      this.#stemmedByMeaning.set(meaning, stemmed);
    }
    return stemmed;
  }

  /** The first word of #plain(said), computed without building the rest: most entries are never read. */
  #firstWord(said: string): string {
    let first: string | undefined;
    for (let at = 0; at < said.length;) {
      const end = endOfWord(said, at);
      const word = said.slice(at, end);
      at = end + 1;
      if (this.#fillers.has(word)) continue;
      if (first !== undefined) return first;
      first = word;
    }
    return said.slice(0, endOfWord(said, 0));
  }

  /** Drops the fillers of a phrase if at least two words remain. */
  #plain(said: string): string {
    const words = said.split(/[ -]/).filter((word) => !this.#fillers.has(word));
    return words.length > 1 ? words.join(' ') : said.replaceAll('-', ' ');
  }
}

function push<T>(listByKey: Map<string, T[]>, key: string, one: T): void {
  const list = listByKey.get(key);
  if (list === undefined) listByKey.set(key, [one]);
  else list.push(one);
}

export function stemsIn(text: string, stem: Stem): string[] {
  return text.split(' ').map(stem);
}

function endOfWord(text: string, from: number): number {
  let end = from;
  while (end < text.length && text[end] !== ' ' && text[end] !== '-') end += 1;
  return end;
}

/** @param key one or more stems separated by spaces */
function startOf(key: string): string {
  const end = key.indexOf(' ');
  return key.slice(0, end < 0 ? START_CHARS : Math.min(end, START_CHARS));
}
