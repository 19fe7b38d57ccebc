import { isPrintable } from './unicode.ts';

const SPACES = ' \t\r\n';
/** What may follow a name or variable. */
export const TERMINATORS = ` \t\r\n.,|:)(`;
export const isSpace = (char: string | undefined): boolean =>
  char !== undefined && char !== '' && SPACES.includes(char);

export function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

export function describeChar(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return isPrintable(char) ? `U+${code} '${char}'` : `U+${code}`;
}
