import { HIDDEN } from 'pegboard';
import { isCredentials, isPassword, isSecretName } from './hiding.ts';
import { isPlaceholder } from './isPlaceholder.ts';
import { spaced } from './names.ts';
import { hasSecretForm, isRandom, isSwitch, isUuid } from './secretForms.ts';
import { hideInUrl, hideInWords, partOfUrl } from './secretPlaces.ts';
import { variableIn } from './variableIn.ts';

/** Keys begin at this length. */
const KEY_CHARS = 24;
/** The same in an address, where the parts of a path are mostly words. */
const URL_KEY_CHARS = 12;
const VARIABLE = /\$\{env:([^{}]+)\}/g;
const NUMBER = /^\d{1,6}$/;
/** Names of what is long and in no order, and known to all. */
const ID =
  /(?<![a-z])(?:ids?|uuid|guid|sha\d*|commit|digest|hash|checksum|rev|revision|ref|address|version|model|image)$/i;
const PATH =
  /^(?:~|\.{1,2}|[a-z]:)?[\\/](?:[\w.@~ -]+[\\/])+[\w.@~ -]*$|^(?:~|\.{1,2})?\/?[\w.@-]+\.(?:key|pem|crt|json|p12|pfx|txt|ya?ml|env|toml)$/i;

/** Whether a value should not be readable in a definition.
 *  @param name of its variable, header, flag or parameter; empty for a word of a command, whose parts hideInWords() finds */
export function isSecret(name: string, value: string): boolean {
  if (value.includes('${'))
    return [...value.matchAll(VARIABLE)].some(([, target = '']) =>
      isSecret(name, variableIn(target).fallback ?? ''),
    );
  if (isSwitch(value) || isPlaceholder(value, name)) return false;
  const part = partOfUrl(name);
  if (part === 'user') return /:./.test(value) || isRandom(value, URL_KEY_CHARS);
  const said = spaced(name);
  if (isPassword(name) || isCredentials(name, value)) return true;
  if (NUMBER.test(value)) return false;
  if (isSecretName(name)) return !isPath(value) && !isPlainUrl(value);
  if (hasSecretForm(value)) return true;
  if (part === 'place' && isKeyOfUrl(value)) return true;
  if (!ID.test(said) && !isUuid(value) && isRandom(value, KEY_CHARS)) return true;
  if (name === '') return value.includes('://') && hideInUrl(value, keptUnlessSecret) !== value;
  return hideInWords([value], keptUnlessSecret)[0] !== value;
}

/** The replacement in hideInUrl and hideInWords, which replace harmless parts too. */
export function keptUnlessSecret(text: string, name: string): string {
  return isSecret(name, text) ? HIDDEN : text;
}

function isKeyOfUrl(value: string): boolean {
  const isLongWord = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{21,}$/.test(value);
  return isLongWord || isUuid(value) || isRandom(value, URL_KEY_CHARS);
}

function isPath(value: string): boolean {
  return PATH.test(value) && !value.split(/[\\/]/).some((part) => isRandom(part, URL_KEY_CHARS));
}

function isPlainUrl(value: string): boolean {
  return /^https?:\/\/\S+$/.test(value) && hideInUrl(value, keptUnlessSecret) === value;
}
