/** The characters of a scope. Source: RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const MAX_SCOPES = 100;

/** Some authorization servers, and people, write commas between scopes. */
export const COMMAS = /[\s,]+/;

/** Scopes of a list, or of a text, each once; what is malformed is left out. @param separator between those of a text */
export function scopesIn(value: unknown, separator: string | RegExp = ' '): readonly string[] {
  const list: readonly unknown[] =
    typeof value === 'string' ? value.split(separator) : Array.isArray(value) ? value : [];
  const scopes = list.filter((one): one is string => typeof one === 'string' && SCOPE.test(one));
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}
