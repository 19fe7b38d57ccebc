// The Porter stemmer (M. F. Porter, 1980), steps 1 to 5, on words of plain Latin letters.
const CONSONANT = '[^aeiou]';
const VOWEL = '[aeiouy]';
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;
const HAS_MEASURE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const MEASURE_ONE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const MEASURE_TWO = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
const ENDS_SHORT = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);
const DOUBLE = /([^aeiouylsz])\1$/;
const STEP_2 =
  /^(.+?)(ational|tional|enci|anci|izer|bli|alli|entli|eli|ousli|ization|ation|ator|alism|iveness|fulness|ousness|aliti|iviti|biliti|logi)$/;
const STEP_3 = /^(.+?)(icate|ative|alize|iciti|ical|ful|ness)$/;
const STEP_4 = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/;
const STEP_4_ION = /^(.+?[st])ion$/;
const REPLACEMENTS: Readonly<Record<string, string>> = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
  icate: 'ic',
  ative: '',
  alize: 'al',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
};
const MAX_KEPT = 50_000;

export type Stem = (word: string) => string;

/** The stem that a word's forms share: `pods` and `pod`, `creating` and `create`. */
export function stem(word: string): string {
  return isPlain(word) ? stemWord(americanOf(word)) : word;
}

/** A `stem` that remembers what it gave: most words come again. */
export function createStemmer(): Stem {
  const kept = new Map<string, string>();
  return (word) => {
    if (!isPlain(word)) return word;
    let stemmed = kept.get(word);
    if (stemmed === undefined) {
      stemmed = stemWord(americanOf(word));
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(word, stemmed);
    }
    return stemmed;
  };
}

function isPlain(word: string): boolean {
  return word.length >= 3 && /^[a-z]+$/.test(word);
}

/** British spellings: organise, colour, cancelled. Both sides are spelt alike, so a wrong one does no harm. */
function americanOf(word: string): string {
  if (word.length < 6) return word;
  return word
    .replace(/([^aeiou])is(e[drs]?|ers|ing|ations?)$/, '$1iz$2')
    .replace(/([lvb])our(s|ed|ing|ite|ites)?$/, '$1or$2')
    .replace(/yse(d|r|s)?$/, 'yze$1');
}

function stemWord(word: string): string {
  const singular = word.replace(/(ss|i)es$/, '$1').replace(/([^s])s$/, '$1');
  const bare = withoutEdIng(singular).replace(/^(.*[aeiouy].*)y$/, '$1i');
  const shorter = [STEP_2, STEP_3].reduce(replaceSuffix, bare);
  return withoutFinalE(withoutResidue(shorter));
}

function withoutEdIng(word: string): string {
  const eed = /^(.+?)eed$/.exec(word);
  if (eed !== null) return HAS_MEASURE.test(eed[1] ?? '') ? word.slice(0, -1) : word;
  const base = /^(.+?)(?:ed|ing)$/.exec(word)?.[1];
  if (base === undefined || !HAS_VOWEL.test(base)) return word;
  if (/(at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLE.test(base)) return base.slice(0, -1);
  return ENDS_SHORT.test(base) ? `${base}e` : base;
}

function replaceSuffix(word: string, pattern: RegExp): string {
  const [, base = '', suffix = ''] = pattern.exec(word) ?? [];
  return HAS_MEASURE.test(base) ? `${base}${REPLACEMENTS[suffix] ?? ''}` : word;
}

function withoutResidue(word: string): string {
  const base = STEP_4.exec(word)?.[1] ?? STEP_4_ION.exec(word)?.[1];
  return base !== undefined && MEASURE_TWO.test(base) ? base : word;
}

function withoutFinalE(word: string): string {
  const base = /^(.+?)e$/.exec(word)?.[1];
  const drops =
    base !== undefined && (MEASURE_TWO.test(base) || (MEASURE_ONE.test(base) && !ENDS_SHORT.test(base)));
  const rest = drops ? base : word;
  return /ll$/.test(rest) && MEASURE_TWO.test(rest) ? rest.slice(0, -1) : rest;
}
