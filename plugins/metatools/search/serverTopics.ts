import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { wordsOf } from '../../kit/text/wordsOf.ts';

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
/** Which words of a server a search has; `words`: most of its name, but not as they are in it. */
export type ServerMatch = 'name' | 'words' | 'description';

/** Finds out whether searches are about a server, by its name and what its definition says that it is for. */
export class ServerTopics {
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

  /** The best first. Of the name, more than half of the words that tell it match; of the description, more than half of those that the
   *  search has. */
  matches({ all, telling }: Topic, name: string, description: string): readonly ServerMatch[] {
    const named = this.#knownOf(name);
    const words = named.telling.length > 0 ? named.telling : [...named.all];
    const said = this.#knownOf(description).all;
    const isMost = (stems: readonly string[], of: ReadonlySet<string>): boolean =>
      2 * stems.filter((stem) => of.has(stem)).length > stems.length;
    const found: readonly (ServerMatch | false)[] = [
      hasInOrder([...all], words) && 'name',
      isMost(words, all) && 'words',
      isMost(telling, said) && 'description',
    ];
    return found.filter((one) => one !== false);
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

/** Whether the words are beside each other in the list. */
function hasInOrder(list: readonly string[], words: readonly string[]): boolean {
  return words.length > 0 && ` ${list.join(' ')} `.includes(` ${words.join(' ')} `);
}
