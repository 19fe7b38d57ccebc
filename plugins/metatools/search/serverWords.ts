import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { wordsOf } from './wordsOf.ts';

const MAX_WORDS = 64;
const MAX_TEXT_CHARS = 500;
const MAX_KNOWN = 5_000;

/** What a search is about. */
export interface Topic {
  readonly text: string;
  /** Stems of its words that say something. */
  readonly all: ReadonlySet<string>;
  /** Those of them that are not weak. */
  readonly telling: readonly string[];
}
/** Which words of a server a search has. */
export type ServerMatch = 'name' | 'description';

/** Finds out whether searches are about a server, by its name and what its definition says that it is for. */
export class ServerWords {
  readonly #thesaurus: () => Thesaurus;
  /** Names and descriptions, which every search reads. */
  readonly #known = new Map<string, Topic>();

  constructor(thesaurus: () => Thesaurus) {
    this.#thesaurus = thesaurus;
  }

  topicOf(text: string): Topic {
    const thesaurus = this.#thesaurus();
    const says = (word: string): boolean =>
      word.length > 1 && !thesaurus.isStopWord(word) && !thesaurus.isOwnWord(word);
    const all = new Set(wordsOf(text).filter(says).slice(0, MAX_WORDS).map(thesaurus.stem));
    return { text, all, telling: [...all].filter((stem) => !thesaurus.isWeak(stem)) };
  }

  /** A word of the name matches; of the description, more than half of the words that the search has. */
  match({ all, telling }: Topic, name: string, description: string): ServerMatch | undefined {
    const named = this.#knownOf(name);
    const words = named.telling.length > 0 ? named.telling : [...named.all];
    if (words.some((stem) => all.has(stem))) return 'name';
    const said = this.#knownOf(description).all;
    const found = telling.filter((stem) => said.has(stem)).length;
    return 2 * found > telling.length ? 'description' : undefined;
  }

  #knownOf(text: string): Topic {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const topic = this.topicOf(text.slice(0, MAX_TEXT_CHARS));
    this.#known.set(text, topic);
    return topic;
  }
}
