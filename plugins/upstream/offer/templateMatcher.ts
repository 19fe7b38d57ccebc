/** Creates a function that is true for every uri that a template may produce, and for more: the server itself rejects a uri that
 *  does not fit. Source: RFC 6570 */
export function templateMatcher(template: string): (uri: string) => boolean {
  const [first = '', ...others] = template.split(/\{[^{}]*\}/);
  const last = others.pop();
  if (last === undefined) return (uri) => uri === first;
  return (uri) => {
    if (!uri.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const found = uri.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return uri.length - last.length >= at && uri.endsWith(last);
  };
}
