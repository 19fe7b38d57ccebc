import { isObject, pathBelow } from 'pegboard';
import { RE2JS } from 're2js';

export const HIDDEN = '[redacted]';
/** Shorter values (`true`, `8080`) are no secrets, and hiding them would only garble recordings. */
const MIN_SECRET_CHARS = 8;
const MAX_LEVELS = 512;

/** Gives a text without what must not be written. */
export type Hide = (text: string) => string;

/** @param expressions RE2; @throws RE2JSSyntaxException */
export function hiderOf(secrets: readonly string[], expressions: readonly string[]): Hide {
  const words = [...new Set(secrets.flatMap(spellings))]
    .filter((word) => word.length >= MIN_SECRET_CHARS)
    // The longest first: a secret may begin with another.
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // One expression for all of them: thirty times quicker than one search for each.
  const known = words.length === 0 ? undefined : new RegExp(words.join('|'), 'g');
  const patterns = expressions.map((expression) => RE2JS.compile(expression));
  return (text) => {
    const plain = known === undefined ? text : text.replace(known, HIDDEN);
    return patterns.reduce((rest, pattern) => pattern.matcher(rest).replaceAll(HIDDEN), plain);
  };
}

/** Of `Bearer abc` a server may repeat the second half only, of a key of several lines each by itself or all of it as JSON. */
function spellings(secret: string): readonly string[] {
  const bare = secret.replace(/^[\w-]+\s+(?=\S+$)/, '');
  return [secret, bare, JSON.stringify(secret).slice(1, -1), ...secret.split(/\r?\n/)];
}

/** @returns the text itself when there is nothing to hide; undefined when that cannot be said or done */
export function hideInJson(json: string, hide: Hide): string | undefined {
  const value: unknown = JSON.parse(json);
  if (pathBelow(value, MAX_LEVELS) !== undefined) return undefined;
  let changes = 0;
  const clean = hidden(value, (text) => {
    const rest = hide(text);
    if (rest !== text) changes += 1;
    return rest;
  });
  if (changes > 0) return JSON.stringify(clean);
  // Digits that a number does not keep, a member that a later one of its name covers, a pattern over several values.
  return hide(json) === json ? json : undefined;
}

function hidden(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value === 'number') {
    const text = hide(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => hidden(item, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [hide(key), hidden(part, hide)]));
}
