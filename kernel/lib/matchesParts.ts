/** Whether a text begins with the first part, ends with the last, and has the others between them, in order and apart; one part
 *  is the whole text. Linear in the length of the text. */
export function matchesParts([first = '', ...others]: readonly string[], text: string): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
