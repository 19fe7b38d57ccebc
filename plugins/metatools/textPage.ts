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
