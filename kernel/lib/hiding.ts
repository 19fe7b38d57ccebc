import { isObject } from './json.ts';

/** Stands where something was that must not be told. */
export const HIDDEN = '[redacted]';
/** Shorter values (`true`, `8080`) are no secrets, and hiding them would only garble texts. */
const MIN_SECRET_CHARS = 8;

/** Gives a text without what must not be told. */
export type Hide = (text: string) => string;

/** Hides what somebody was given in confidence (decision D19). Of `Bearer abc` they may repeat the second half only, of a key of
 *  several lines each by itself or all of it as JSON. */
export function hiderOf(secrets: readonly string[]): Hide {
  const words = [...new Set(secrets.flatMap(spellings))]
    .filter((word) => word.length >= MIN_SECRET_CHARS)
    // The longest first: a secret may begin with another.
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  if (words.length === 0) return (text) => text;
  // One expression for all of them: thirty times quicker than one search for each.
  const known = new RegExp(words.join('|'), 'g');
  return (text) => text.replace(known, HIDDEN);
}

function spellings(secret: string): readonly string[] {
  const bare = secret.replace(/^[\w-]+\s+(?=\S+$)/, '');
  return [secret, bare, JSON.stringify(secret).slice(1, -1), ...secret.split(/\r?\n/)];
}

/** A copy of a JSON value, its strings, numbers and keys gone through `hide`. */
export function hiddenIn(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value === 'number') {
    const text = hide(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => hiddenIn(item, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [hide(key), hiddenIn(part, hide)]));
}

/** Keys often stand in a query; a server may repeat them as sent or decoded. */
export function queryValuesOf({ search, searchParams }: URL): readonly string[] {
  const asSent = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...asSent, ...searchParams.values()];
}
