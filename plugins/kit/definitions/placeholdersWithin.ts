import { isPlaceholder } from '../secrets/isPlaceholder.ts';

/** In the middle of a text, only forms that are not used for anything else. */
const WITHIN =
  /\bYOUR_[A-Z0-9_]+\b|<(?:your|my)[ _-][^<>]*>|<[A-Z][A-Z0-9_]+>|(?<=:\/\/)your[-_][\w.-]+|\/(?:absolute\/)?path\/to\b[\w./-]*/gi;

/** The placeholders within texts. */
export function placeholdersWithin(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => (isPlaceholder(text) ? [text] : (text.match(WITHIN) ?? []))))];
}
