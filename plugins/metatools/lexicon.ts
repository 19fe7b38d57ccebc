import { stem } from './stem.ts';

/** Stems by which tools may be described, and how much a match of each is worth, 0…1. */
export type StandIns = ReadonlyMap<string, number>;
/** Words that something stands for, and by how much. */
export interface Meaning {
  readonly meant: string;
  readonly worth: number;
  /** Groups of words of each of which one has to be said somewhere as well. */
  readonly beside?: readonly (readonly string[])[];
}
/** What a word means in certain company, and the key of its stand-ins then. */
export interface Cue {
  readonly key: string;
  readonly meant: string;
  readonly beside: readonly (readonly string[])[];
}
interface Section {
  readonly standInsByKey: ReadonlyMap<string, Map<string, number>>;
  /** Stems of phrases by their first one, longest first. */
  readonly phrasesByFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly cuesByFirst: ReadonlyMap<string, readonly Cue[]>;
}
interface Entries {
  readonly said: string[];
  /** One for each of `said`; words of a line share theirs. */
  readonly meanings: Meaning[];
}

const EMPTY: Section = { standInsByKey: new Map(), phrasesByFirst: new Map(), cuesByFirst: new Map() };

/** Meanings by stems. Stemming thousands of words takes long, so those with the same first letters, which a stem shares
 *  with its word, are read when one of them is first asked for. */
export class Lexicon {
  readonly #fillers: ReadonlySet<string>;
  readonly #entriesByStart = new Map<string, Entries>();
  readonly #sectionByStart = new Map<string, Section>();

  constructor(fillers: ReadonlySet<string>) {
    this.#fillers = fillers;
  }

  /** Before the first question. */
  add(said: string, meaning: Meaning): void {
    const start = startOf(this.#firstWord(said));
    let entries = this.#entriesByStart.get(start);
    if (entries === undefined) this.#entriesByStart.set(start, (entries = { said: [], meanings: [] }));
    entries.said.push(said);
    entries.meanings.push(meaning);
  }

  /** @param key a stem, or the stems of a phrase with a space between */
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
    for (const [at, { meant, worth, beside }] of meanings.entries()) {
      const stems = stemsIn(this.#plain(said[at] ?? ''));
      const own = stems.join(' ');
      const key = beside === undefined ? own : `${own} > ${meant}`;
      if (beside !== undefined) {
        const cue = { key, meant, beside: beside.map((group) => group.map(stem)) };
        cuesByFirst.set(own, [...(cuesByFirst.get(own) ?? []), cue]);
      }
      let standIns = standInsByKey.get(key);
      if (standIns === undefined) {
        standInsByKey.set(key, (standIns = new Map<string, number>()));
        const [first = ''] = stems;
        if (stems.length > 1 && beside === undefined)
          phrasesByFirst.set(first, [...(phrasesByFirst.get(first) ?? []), stems]);
      }
      for (const one of stemsIn(meant)) {
        if (one !== key) standIns.set(one, Math.max(standIns.get(one) ?? 0, worth));
      }
    }
    for (const phrases of phrasesByFirst.values()) phrases.sort((a, b) => b.length - a.length);
    return { standInsByKey, phrasesByFirst, cuesByFirst };
  }

  /** Of what #plain gives, without making it: most entries are never read. */
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
    return said;
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

function endOfWord(text: string, from: number): number {
  let end = from;
  while (end < text.length && text[end] !== ' ' && text[end] !== '-') end += 1;
  return end;
}

function startOf(text: string): string {
  return text.slice(0, 2);
}
