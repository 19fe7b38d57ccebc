import { stem } from './stem.ts';

const WORD = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\d]+|[\p{Lu}\d]+|\p{Lo}+/gu;
const MARKS = /\p{M}/gu;

/** The words of a name or text: camelCase and snake_case split, lower case, without accents. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(MARKS, '')
    .replaceAll(/['’]s?\b/g, '');
  return (plain.match(WORD) ?? []).map((word) => word.toLowerCase());
}

export function termsOf(text: string): string[] {
  return wordsOf(text).map(stem);
}
