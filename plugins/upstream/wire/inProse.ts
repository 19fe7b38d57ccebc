import { isSecretName } from 'pegboard';
import type { Secret } from 'pegboard';

const MIN_PROSE_CHARS = 8;
const MIN_NAME_CHARS = 20;

/** Those that a text about something else would not hold by chance: no words, no paths, no addresses. */
export function inProse(secrets: readonly Secret[]): readonly Secret[] {
  return secrets.filter(({ name, text }) => {
    if (text.length < MIN_PROSE_CHARS) return false;
    if (isSecretName(name)) return !/^[a-z]{1,11}$/i.test(text);
    return /^\S*\d\S*$/.test(text) && !/^[~.]*\/|:\/\//.test(text);
  });
}

/** Of those, the ones that no name would hold, as it may hold that of a model or a region. */
export function inNames(secrets: readonly Secret[]): readonly Secret[] {
  return inProse(secrets).filter(({ name, text }) => isSecretName(name) || text.length >= MIN_NAME_CHARS);
}
