import type { Tool } from 'pegboard';
import { ownName } from '../calls/meantCall.ts';

/** Number of characters of a text that are read for each that is shown, because white space may be left out. */
const READ_FOR_ONE = 5;
const BREAKS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;
/** A word that stands alone, not a part of an address, a path or an option. */
const WORD = /(?<![\p{L}\p{N}_./:@#$\\-])[\p{L}\p{N}_]+(?:[./-][\p{L}\p{N}_]+)*/gu;
/** A name that is not a plain English word: `git_log`, `files/list`, `readFile`, unlike `read` and `SQL`. */
const NOT_PLAIN = /[_./-]|^(?=.*\p{Ll}).+\p{Lu}/u;
const QUOTES: readonly string[] = ['``', '""', "''", '“”', '‘’'];
/** Arguments follow, unlike in `file(s)`. */
const CALLED = /^\((?!e?s\))/u;
const ELLIPSIS = '…';

/** A text on one line, without control characters, cut at a word. */
export function oneLine(text: string, maxChars: number): string {
  const line = text
    .slice(0, READ_FOR_ONE * maxChars + 1)
    .replace(BREAKS, ' ')
    .trim();
  const chars = Array.from(line.slice(0, 2 * maxChars + 2));
  if (chars.length <= maxChars) return line;
  const cut = chars.slice(0, Math.max(maxChars - 1, 0)).join('');
  return `${cut.replace(/\s\S{0,40}$/u, '').trimEnd()}${ELLIPSIS}`;
}

/** A server's words as they are quoted: on one line, so that they cannot imitate another server or Pegboard, and with the names by
 *  which clients call its tools in place of its own; a name that is a plain word only where it is quoted or called.
 *  @param tools those of the server that the reader may see */
export function serverWords(text: string, tools: readonly Tool[], maxChars: number): string {
  if (text === '') return '';
  return oneLine(withCallableNames(text.slice(0, READ_FOR_ONE * maxChars + 1), tools), maxChars);
}

function withCallableNames(text: string, tools: readonly Tool[]): string {
  const names = new Map(tools.map((tool) => [ownName(tool), tool.name]));
  return text.replace(WORD, (word, at: number) => {
    const name = names.get(word);
    if (name === undefined || NOT_PLAIN.test(word)) return name ?? word;
    const [before, after] = [text.charAt(at - 1), text.slice(at + word.length, at + word.length + 5)];
    const isMeant = CALLED.test(after) || QUOTES.includes(before + after.charAt(0));
    return isMeant ? name : word;
  });
}
