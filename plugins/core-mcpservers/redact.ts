import { isDeepStrictEqual } from 'node:util';
import { GatewayError, HIDDEN, hideInUrl, hideInWords, holdsOnlyReferences, isHidden } from 'pegboard';
import type { JsonObject } from 'pegboard';

type Texts = Readonly<Record<string, string>>;

/** Values of env or headers with secrets redacted (decision D19). */
export function redact(values: Texts): Texts {
  const shown = Object.entries(values).map(([key, value]) => [
    key,
    holdsOnlyReferences(value) ? value : HIDDEN,
  ]);
  return Object.fromEntries(shown) as Texts;
}

/** Keys of stored env or headers whose values are hidden. */
export function hiddenKeys(values: unknown): readonly string[] {
  const entries = Object.entries((values ?? {}) as Texts);
  return entries.filter(([, value]) => value !== '' && !holdsOnlyReferences(value)).map(([key]) => key);
}

/** Replaces each HIDDEN by the stored value of the same key.
 *  @throws GatewayError TOOL_ARGUMENTS if there is no stored value */
export function restore(field: string, values: Texts, stored: Texts): Texts {
  const restored = Object.entries(values).map(([key, value]) => {
    if (value !== HIDDEN) return [key, value];
    if (Object.hasOwn(stored, key)) return [key, stored[key]];
    throw new GatewayError(
      'TOOL_ARGUMENTS',
      `${field}.${key} is ${HIDDEN}, but no value of it is stored; send the value`,
    );
  });
  return Object.fromEntries(restored) as Texts;
}

/** restore() for the secrets of a url. @throws GatewayError TOOL_ARGUMENTS if there is no stored value */
export function restoreUrl(url: string, stored: string): string {
  const storedByName = new Map<string, string>();
  hideInUrl(stored, (text, name) => {
    storedByName.set(name, text);
    return text;
  });
  return hideInUrl(url, (text, name) => {
    const kept = isHidden(text) ? storedByName.get(name) : text;
    if (kept !== undefined) return kept;
    const why = `${name} of url is ${HIDDEN}, but no value of it is stored; send the value`;
    throw new GatewayError('TOOL_ARGUMENTS', why);
  });
}

type Words = Readonly<Partial<Record<'command' | 'args', readonly string[]>>>;

/** `command` and `args`, redacted as one list: a flag may end the first, and its value begin the second. */
export function redactWords({ command, args }: JsonObject): Words {
  const [head, tail] = [wordsIn(command), wordsIn(args)];
  const shown = hideInWords([...head, ...tail]);
  return {
    ...(head.length > 0 && { command: shown.slice(0, head.length) }),
    ...(tail.length > 0 && { args: shown.slice(head.length) }),
  };
}

/** restore() for `command` and `args`: returns the stored list if the redacted list is sent back unchanged.
 *  @throws GatewayError TOOL_ARGUMENTS if a list with HIDDEN has other changes */
export function restoreWords(field: 'command' | 'args', sent: unknown, stored: JsonObject): unknown {
  const words = wordsIn(sent);
  if (!words.some((word) => word.includes(HIDDEN))) return sent;
  if (isDeepStrictEqual(words, redactWords(stored)[field])) return stored[field];
  const why = `${field} holds ${HIDDEN}, which keeps the stored values only if nothing else of ${field} changes; send the values`;
  throw new GatewayError('TOOL_ARGUMENTS', why);
}

function wordsIn(value: unknown): readonly string[] {
  return [value].flat().filter((word) => typeof word === 'string');
}
