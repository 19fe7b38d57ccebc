import { toBytes } from '../bytes.ts';
import { func } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { isLower, isSpace, isTitle, isUpper, lowerRune, mapRunes, titleRune, upperRune } from '../unicode.ts';
import { isAlphaNumeric } from '../unicode.ts';
import { connectWords, isConnector } from './words.ts';

export const CASE: FuncTable = {
  title: func(['string'], (_env, text) => title(text)),
  untitle: func(['string'], (_env, text) => untitle(text)),
  swapcase: func(['string'], (_env, text) => swapCase(text)),
  camelcase: func(['string'], (_env, text) => pascalCase(text)),
  snakecase: func(['string'], (_env, text) => connectWords(text, '_')),
  kebabcase: func(['string'], (_env, text) => connectWords(text, '-')),
  initials: func(['string'], (_env, text) => initials(text)),
  nospace: func(['string'], (_env, text) => withoutSpace(text)),
};

function isSeparator(char: string): boolean {
  if (isAlphaNumeric(char)) return false;
  return char <= '\x7f' || isSpace(char);
}

function title(text: string): string {
  let previous = ' ';
  return mapRunes(text, (char) => {
    const result = isSeparator(previous) ? titleRune(char) : char;
    previous = char;
    return result;
  });
}

function untitle(text: string): string {
  let isStart = true;
  return mapRunes(text, (char) => {
    const result = isStart ? lowerRune(char) : char;
    isStart = isSpace(char);
    return isStart ? char : result;
  });
}

function swapCase(text: string): string {
  let isStart = true;
  return mapRunes(text, (char) => {
    const wasStart = isStart;
    if (isUpper(char) || isTitle(char)) {
      isStart = false;
      return lowerRune(char);
    }
    if (isLower(char)) {
      isStart = false;
      return wasStart ? titleRune(char) : upperRune(char);
    }
    isStart = isSpace(char);
    return char;
  });
}

function pascalCase(text: string): string {
  const chars = Array.from(text);
  const lead = chars.findIndex((char) => !isConnector(char));
  if (lead < 0) return text;
  let out = chars.slice(0, lead).join('');
  let current = upperRune(chars[lead] ?? '');
  let lowersNext = isUpper(chars[lead] ?? '');
  for (const char of chars.slice(lead + 1)) {
    const previous = current;
    current = char;
    if (isConnector(char) && isConnector(previous)) {
      out += previous;
    } else if (isConnector(previous)) {
      lowersNext = isUpper(char);
      current = upperRune(char);
    } else {
      if (lowersNext && isUpper(char)) current = lowerRune(char);
      else lowersNext = false;
      out += previous;
    }
  }
  return out + current;
}

// As in the original, initials and nospace iterate over bytes and write each as its own code point.
function initials(text: string): string {
  let out = '';
  let isGap = true;
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (isSpace(char)) isGap = true;
    else if (isGap) {
      out += char;
      isGap = false;
    }
  }
  return out;
}

function withoutSpace(text: string): string {
  const bytes = toBytes(text);
  const kept = bytes.filter((byte) => !isSpace(String.fromCharCode(byte)));
  return kept.length === bytes.length ? text : Buffer.from(kept).toString('latin1');
}
