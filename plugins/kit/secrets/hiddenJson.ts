import { HIDDEN, isObject, pathBelow } from 'pegboard';
import type { Hide } from 'pegboard/contracts';
import { hiddenIn, isSecretName } from './hiding.ts';

/** Longer texts are not searched for secrets, and so not shown: that would hold up other calls. */
export const MAX_SEARCHED_CHARS = 1_000_000;
export const MAX_LEVELS = 512;

/** JSON text without secrets: those that `hide` knows, and strings and numbers below names that mark them.
 *  @returns undefined if it is too large or too deep to be searched */
export function hiddenJson(json: string, hide: Hide): string | undefined {
  const value: unknown = json.length > MAX_SEARCHED_CHARS ? undefined : JSON.parse(json);
  if (value === undefined || pathBelow(value, MAX_LEVELS) !== undefined) return undefined;
  // As values, for secrets that JSON spells differently; then as a text, for those that several values make up.
  return hide(JSON.stringify(hiddenIn(withoutNamed(value), hide)));
}

/** Hides what is below names that mark it as secret: `password`, `apiKey`, `tokens`. */
function withoutNamed(value: unknown, isSecret = false): unknown {
  if (Array.isArray(value)) return value.map((part) => withoutNamed(part, isSecret));
  if (!isObject(value))
    return isSecret && (typeof value === 'string' || typeof value === 'number') ? HIDDEN : value;
  const members = Object.entries(value).map(
    ([key, part]) => [key, withoutNamed(part, isSecret || isSecretName(key))] as const,
  );
  return Object.fromEntries(members);
}
