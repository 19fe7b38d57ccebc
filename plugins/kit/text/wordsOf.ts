const WORD = /\d+\p{Lu}+(?!\p{Ll})|\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\d]+|[\p{Lu}\d]+|\p{Lo}+/gu;
const ASCII_WORD = /\d+[A-Z]+(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z\d]+|[A-Z\d]+/g;
const NOT_ASCII = /[^\0-\x7f]/;
const MARKS = /\p{M}/gu;
const POSSESSIVE = /['’]s?\b/g;

/** The words of a name or text: camelCase and snake_case split, lower case, without accents. */
export function wordsOf(text: string): string[] {
  const isAscii = !NOT_ASCII.test(text);
  const plain = isAscii ? text : text.normalize('NFKD').replace(MARKS, '');
  const words = plain.replace(POSSESSIVE, '').match(isAscii ? ASCII_WORD : WORD) ?? [];
  return words.map((word) => word.toLowerCase());
}
