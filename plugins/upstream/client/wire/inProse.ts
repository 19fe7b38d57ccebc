import { isSecretName } from 'pegboard/kit';
import type { Secret } from 'pegboard/contracts';

const MIN_PROSE_CHARS = 8;
const MIN_NAME_CHARS = 20;

/** The secrets that are unlikely to occur in prose by chance: not words, paths or addresses. */
export function inProse(secrets: readonly Secret[]): readonly Secret[] {
  return secrets.filter(({ name, text }) => {
    if (text.length < MIN_PROSE_CHARS) return false;
    if (isSecretName(name)) return !/^[a-z]{1,11}$/i.test(text);
    return /^[^\s\d]*\d\S*$/.test(text) && !/^[~.]*\/|:\/\//.test(text);
  });
}

/** The secrets of inProse that are unlikely to occur in names, which may hold the name of a model or a region. */
export function inNames(secrets: readonly Secret[]): readonly Secret[] {
  return inProse(secrets).filter(({ name, text }) => isSecretName(name) || text.length >= MIN_NAME_CHARS);
}
