import { HIDDEN, pathBelow } from 'pegboard';
import { hiddenIn, hiderOf } from 'pegboard/kit';
import type { Hide, Secret } from 'pegboard/contracts';
import { RE2JS } from 're2js';

const MAX_LEVELS = 512;

/** @param expressions RE2; @throws RE2JSSyntaxException */
export function recordingHider(secrets: readonly Secret[], expressions: readonly string[]): Hide {
  const hide = hiderOf(secrets);
  const patterns = expressions.map((expression) => RE2JS.compile(expression));
  return (text) => patterns.reduce((rest, pattern) => pattern.matcher(rest).replaceAll(HIDDEN), hide(text));
}

/** @returns the text itself if there is nothing to hide; undefined if it cannot be searched, or a secret cannot be replaced */
export function hideInJson(json: string, hide: Hide): string | undefined {
  const value: unknown = JSON.parse(json);
  if (pathBelow(value, MAX_LEVELS) !== undefined) return undefined;
  let changes = 0;
  const clean = hiddenIn(value, (text) => {
    const rest = hide(text);
    if (rest !== text) changes += 1;
    return rest;
  });
  if (changes > 0) return JSON.stringify(clean);
  // A secret is only in the text: in lost digits of a number, in a duplicate member, or across several values.
  return hide(json) === json ? json : undefined;
}
