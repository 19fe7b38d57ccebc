/** At most `limit` characters (UTF-16 units) from `offset`; never half of a surrogate pair, never nothing while there is text. */
export function sliceText(text: string, offset: number, limit: number): string {
  const end = Math.min(text.length, offset + limit);
  const splitsPair = end < text.length && isHighSurrogate(text.charCodeAt(end - 1));
  if (!splitsPair) return text.slice(offset, end);
  return text.slice(offset, end - 1 > offset ? end - 1 : end + 1);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Where lines begin and end. @param first and last line, from 1; `last` past the end is the end
 *  @returns undefined when the text has fewer lines than `first` */
export function lineRange(
  text: string,
  { first, last }: { readonly first: number; readonly last: number },
): { readonly start: number; readonly end: number } | undefined {
  let start = 0;
  for (let line = 1; line < first; line += 1) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return undefined;
  }
  let end = start;
  for (let line = first; line <= last; line += 1) {
    const next = text.indexOf('\n', end);
    if (next < 0) return { start, end: text.length };
    end = next + 1;
  }
  return { start, end };
}
