import { stripVTControlCharacters } from 'node:util';

/** Control characters, and characters that are invisible or reorder the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function holdsUnprintable(text: string): boolean {
  return text.search(UNPRINTABLE) >= 0;
}

/** The text as a person reads it: without terminal sequences and unprintable characters, except line breaks and tabs. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(UNPRINTABLE, (char) => (/[\n\t]/.test(char) ? char : ''));
}

/** Escapes unprintable characters as JSON and JavaScript do, `\u001b`; one escape per UTF-16 unit. */
export function escapeUnprintable(text: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(UNPRINTABLE, (char) => char.replace(/[^]/g, escaped));
}
