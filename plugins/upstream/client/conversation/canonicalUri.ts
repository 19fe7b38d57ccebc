/** What has more than one form: escapes, and characters that a uri should have as escapes. */
const VARIABLE = /%|[^\x21-\x7e]|["<>\\^`{|}]/;
const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /[\w.~-]/;
/** U+FFFD, in place of half a character, which has no bytes. */
const REPLACED = '%EF%BF%BD';
const ESCAPED = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/** The one form of equal uris: `%7E` is `~`, `café` is `caf%C3%A9`, a space is `%20`. Other escapes stay: `%2F` is not `/`.
 *  Source: RFC 3986 §6.2.2.1, §6.2.2.2; RFC 3987 §3.1 */
export function canonicalUri(uri: string): string {
  if (!VARIABLE.test(uri)) return uri;
  return uri
    .replace(ESCAPE, (escape) => {
      const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return UNRESERVED.test(char) ? char : escape.toUpperCase();
    })
    .replace(ESCAPED, (char) => (/\p{Surrogate}/u.test(char) ? REPLACED : encodeURIComponent(char)));
}

/** Whether a uri may be equal to one that is written differently. */
export function hasForms(uri: string): boolean {
  return VARIABLE.test(uri);
}

/** The canonical uri as people write it. */
export function decodedUri(canonical: string): string {
  try {
    return decodeURI(canonical);
  } catch {
    return canonical;
  }
}
