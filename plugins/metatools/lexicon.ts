import { stem } from './stem.ts';

/** Stems by which tools may be described, and how much a match of each is worth, 0…1. */
export type StandIns = ReadonlyMap<string, number>;
/** What is said stands, by so much, for each of the words that are meant. */
export interface Entry {
  readonly said: string;
  /** Groups of words of each of which one has to be said somewhere as well. */
  readonly beside?: readonly (readonly string[])[];
  readonly meant: string;
  readonly worth: number;
}
/** What a word means in certain company, and the key of its stand-ins then. */
export interface Cue {
  readonly key: string;
  readonly meant: string;
  readonly beside: readonly (readonly string[])[];
}
interface Section {
  readonly standInsByKey: ReadonlyMap<string, Map<string, number>>;
  /** Keys of phrases by their first stem, longest first. */
  readonly phrasesByFirst: ReadonlyMap<string, readonly string[]>;
  readonly cuesByFirst: ReadonlyMap<string, readonly Cue[]>;
}

const EMPTY: Section = { standInsByKey: new Map(), phrasesByFirst: new Map(), cuesByFirst: new Map() };

/** Entries by stems. Stemming thousands of words takes long, so those with the same first letters, which a stem shares
 *  with its word, are read when one of them is first asked for. */
export class Lexicon {
  readonly #fillers: ReadonlySet<string>;
  readonly #entriesByStart = new Map<string, Entry[]>();
  readonly #sectionByStart = new Map<string, Section>();

  constructor(entries: readonly Entry[], fillers: ReadonlySet<string>) {
    this.#fillers = fillers;
    for (const entry of entries) {
      const start = startOf(this.#plain(entry.said));
      const same = this.#entriesByStart.get(start);
      if (same === undefined) this.#entriesByStart.set(start, [entry]);
      else same.push(entry);
    }
  }

  /** @param key a stem, or the stems of a phrase with a space between */
  standInsOf(key: string): StandIns | undefined {
    return this.#section(key).standInsByKey.get(key);
  }

  phrasesFrom(first: string): readonly string[] {
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

  #read(entries: readonly Entry[]): Section {
    const standInsByKey = new Map<string, Map<string, number>>();
    const phrasesByFirst = new Map<string, string[]>();
    const cuesByFirst = new Map<string, Cue[]>();
    for (const { said, beside, meant, worth } of entries) {
      const own = stemsIn(this.#plain(said)).join(' ');
      const key = beside === undefined ? own : `${own} > ${meant}`;
      if (beside !== undefined) {
        const cue = { key, meant, beside: beside.map((group) => group.map(stem)) };
        cuesByFirst.set(own, [...(cuesByFirst.get(own) ?? []), cue]);
      }
      let standIns = standInsByKey.get(key);
      if (standIns === undefined) {
        standInsByKey.set(key, (standIns = new Map<string, number>()));
        const [first = '', second] = key.split(' ');
        if (second !== undefined && beside === undefined)
          phrasesByFirst.set(first, [...(phrasesByFirst.get(first) ?? []), key]);
      }
      for (const one of stemsIn(meant)) {
        if (one !== key) standIns.set(one, Math.max(standIns.get(one) ?? 0, worth));
      }
    }
    const countIn = (key: string): number => key.split(' ').length;
    for (const keys of phrasesByFirst.values()) keys.sort((a, b) => countIn(b) - countIn(a));
    return { standInsByKey, phrasesByFirst, cuesByFirst };
  }

  /** A phrase of which at least two words are left is the same without its fillers. */
  #plain(said: string): string {
    const words = said.split(/[ -]/).filter((word) => !this.#fillers.has(word));
    return words.length > 1 ? words.join(' ') : said.replaceAll('-', ' ');
  }
}

export function stemsIn(text: string): string[] {
  return text.split(' ').map(stem);
}

function startOf(text: string): string {
  return text.slice(0, 2);
}
