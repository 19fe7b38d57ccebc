import { HIDDEN, hiddenIn, hiderOf, pathBelow } from 'pegboard';
import type { Hide, Secret } from 'pegboard';
import { RE2JS } from 're2js';

const MAX_LEVELS = 512;

/** @param expressions RE2; @throws RE2JSSyntaxException */
export function recordingHider(secrets: readonly Secret[], expressions: readonly string[]): Hide {
  const hide = hiderOf(secrets);
  const patterns = expressions.map((expression) => RE2JS.compile(expression));
  return (text) => patterns.reduce((rest, pattern) => pattern.matcher(rest).replaceAll(HIDDEN), hide(text));
}

/** @returns the text itself when there is nothing to hide; undefined when that cannot be said or done */
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
  // Digits that a number does not keep, a member that a later one of its name covers, a pattern over several values.
  return hide(json) === json ? json : undefined;
}
