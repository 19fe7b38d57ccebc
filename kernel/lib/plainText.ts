import { stripVTControlCharacters } from 'node:util';

/** Control characters, and those that nobody sees or that reorder what others see. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function holdsUnprintable(text: string): boolean {
  return text.search(UNPRINTABLE) >= 0;
}

/** What a person reads of a text: without terminal sequences and unprintable characters, but for line breaks and tabs. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(UNPRINTABLE, (char) => (/[\n\t]/.test(char) ? char : ''));
}

/** As JSON and JavaScript write them, `\u001b`; one escape for each unit of UTF-16. */
export function escapeUnprintable(text: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(UNPRINTABLE, (char) => char.replace(/[^]/g, escaped));
}
