import { stemmer } from 'stemmer';

const MAX_KEPT = 50_000;

export type Stem = (word: string) => string;

/** The common stem of a word's forms: `pods` and `pod`, `creating` and `create`.
 *  Source: Porter (1980), An algorithm for suffix stripping. */
export function stem(word: string): string {
  return isPlain(word) ? stemmer(americanOf(word)) : word;
}

/** A `stem` that caches its results: most words occur again. */
export function createStemmer(): Stem {
  const kept = new Map<string, string>();
  return (word) => {
    if (!isPlain(word)) return word;
    let stemmed = kept.get(word);
    if (stemmed === undefined) {
      stemmed = stemmer(americanOf(word));
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(word, stemmed);
    }
    return stemmed;
  };
}

function isPlain(word: string): boolean {
  return word.length >= 3 && /^[a-z]+$/.test(word);
}

/** American form of British spellings: organise, colour, cancelled. Queries and tools are treated alike, so a wrong
 *  change does no harm. */
function americanOf(word: string): string {
  if (word.length < 6) return word;
  return word
    .replace(/([^aeiou])is(e[drs]?|ers|ing|ations?)$/, '$1iz$2')
    .replace(/([lvb])our(s|ed|ing|ite|ites)?$/, '$1or$2')
    .replace(/yse(d|r|s)?$/, 'yze$1');
}
