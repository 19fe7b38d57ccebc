import type { Meaning } from './lexicon.ts';
import { wordLines, wordLists, sidesOf } from './wordFiles.ts';

const ALIKE_WORTH = 0.3;
const WORD_WORTH = 0.5;
/** Higher than for single words: a phrase is less ambiguous. */
const PHRASE_WORTH = 0.65;
const CUE_WORTH = 0.7;
/** Cues with more combinations than this are worth less, as they match more often by chance. */
const CUE_WAYS = 30;
const CUE_FALL = 0.4;
const FOREIGN_WORTH = 0.8;
const ABOUT_WORTH = 0.45;

/** Words and phrases with the same meaning. */
export interface Sayings {
  readonly said: readonly string[];
  readonly meaning: Meaning;
}

/** Reads one line at a time, because reading all of them takes long. */
export function* readMeanings(): Generator<Sayings, undefined> {
  for (const line of [...wordLines('said'), ...wordLines('fields')]) {
    const [said, meant] = sidesOf(line);
    const all = said.split(', ');
    yield { said: all.filter((one) => !isPhrase(one)), meaning: { meant, worth: WORD_WORTH } };
    yield { said: all.filter(isPhrase), meaning: { meant, worth: PHRASE_WORTH } };
  }
  for (const [foreign, meant] of wordLines('foreign').map(sidesOf))
    yield { said: foreign.split(', '), meaning: { meant, worth: FOREIGN_WORTH } };
  for (const [products, about] of wordLines('about').map(sidesOf)) {
    const meant = products.replaceAll(',', '');
    yield { said: about.split(' '), meaning: { meant, worth: ABOUT_WORTH } };
  }
  for (const line of wordLines('alike')) {
    const meant = line.replaceAll('-', '');
    yield { said: meant.split(' '), meaning: { meant, worth: ALIKE_WORTH } };
  }
  yield* readCues();
  return undefined;
}

function isPhrase(said: string): boolean {
  return said.includes(' ');
}

/** A cue is looked up by the words of its smallest group; the query must also contain a word of each other group. */
function* readCues(): Generator<Sayings, undefined> {
  const groups = new Map(wordLists().get('groups')?.map(sidesOf));
  const membersOf = (group: string): string[] =>
    group.split('|').flatMap((one) => groups.get(one)?.split(' ') ?? one);
  for (const line of wordLines('cues')) {
    const [cue, meant] = sidesOf(line);
    const all = cue.split(' + ').map(membersOf);
    const [said = [], ...beside] = all.sort((a, b) => a.length - b.length);
    const ways = beside.reduce((product, group) => product * group.length, said.length);
    const worth = CUE_WORTH * Math.min(1, (CUE_WAYS / ways) ** CUE_FALL);
    yield { said, meaning: { meant, worth, beside } };
  }
  return undefined;
}
