import { HIDDEN, isObject, pathBelow } from 'pegboard';
import type { Hide } from 'pegboard/contracts';
import { hiddenIn, isSecretName } from './hiding.ts';

/** Longer texts are not searched for secrets, and so not shown: that would hold up other calls. */
const MAX_SEARCHED_CHARS = 1_000_000;
const MAX_LEVELS = 512;

/** JSON text without secrets: those that `hide` knows, and members whose names mark them.
 *  @returns undefined if it is too large or too deep to be searched */
export function hiddenJson(json: string, hide: Hide): string | undefined {
  const value: unknown = json.length > MAX_SEARCHED_CHARS ? undefined : JSON.parse(json);
  if (value === undefined || pathBelow(value, MAX_LEVELS) !== undefined) return undefined;
  // As values, for secrets that JSON spells differently; then as a text, for those that several values make up.
  return hide(JSON.stringify(hiddenIn(withoutNamed(value), hide)));
}

/** Hides members whose names mark them as secret: `password`, `apiKey`. */
function withoutNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNamed);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, part]) => {
    const isSecret = isSecretName(key) && (typeof part === 'string' || typeof part === 'number');
    return [key, isSecret ? HIDDEN : withoutNamed(part)] as const;
  });
  return Object.fromEntries(members);
}
