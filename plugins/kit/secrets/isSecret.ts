import { HIDDEN } from 'pegboard';
import { isSecretName } from './hiding.ts';
import { hideInUrl } from './secretPlaces.ts';
import { variableIn } from './variableIn.ts';

/** Beginnings of the tokens of well-known services, and schemes of an Authorization header. */
const TOKEN =
  /^(sk-|pk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|eyJ|npm_|hf_|Bearer |Basic |Token )/;
/** A text of at least 24 characters as keys have them, with a digit. */
const LIKE_KEY = /^(?=.*\d)(?=.*[a-z])[\w+=-]{24,}$/i;
const VARIABLE = /\$\{env:([^{}]+)\}/g;
const PLAIN = /^(true|false|\d{1,6})?$/i;

/** Whether a value should not be readable in a definition. @param name of its variable, header, flag or parameter */
export function isSecret(name: string, value: string): boolean {
  if (PLAIN.test(value)) return false;
  if (value.includes('${'))
    return [...value.matchAll(VARIABLE)].some(([, target = '']) =>
      isSecret(name, variableIn(target).fallback ?? ''),
    );
  if (isSecretName(name) || TOKEN.test(value) || LIKE_KEY.test(value)) return true;
  return value.includes('://') && hideInUrl(value, keptUnlessSecret) !== value;
}

/** The replacement in hideInUrl and hideInWords, which replace harmless parts too. */
export function keptUnlessSecret(text: string, name: string): string {
  return isSecret(name, text) ? HIDDEN : text;
}
