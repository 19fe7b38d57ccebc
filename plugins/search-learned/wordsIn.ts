import { createHash } from 'node:crypto';
import { stemmer } from 'stemmer';

const MAX_WORDS = 32;
/** Enough that two words almost never share it. */
const DIGEST_CHARS = 8;

/** Digests of the different words of a query, sorted: the text of a query is not kept. */
export function wordsIn(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = [...new Set(words.map((word) => (/^[a-z]{3,}$/.test(word) ? stemmer(word) : word)))];
  return stems.slice(0, MAX_WORDS).map(digestOf).sort();
}

function digestOf(word: string): string {
  return createHash('sha256').update(word).digest('base64url').slice(0, DIGEST_CHARS);
}
