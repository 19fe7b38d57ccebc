// Only for text that JSON.parse has accepted; the parts cut out here are passed on unchanged.

/** Text of the last member of that name of a valid JSON object: the last one wins, as in JSON.parse.
 *  @returns undefined if there is none, or if the text is not an object */
export function rawMember(text: string, name: string): string | undefined {
  const span = spanOf(text, name);
  return span && text.slice(...span);
}

/** The object with that member set, replacing one of that name. @param value JSON text */
export function withRawMember(text: string, name: string, value: string): string {
  // A name written with escapes is not found and stays; the member added after it wins.
  const span = text.includes(name) ? spanOf(text, name) : undefined;
  if (span !== undefined) return text.slice(0, span[0]) + value + text.slice(span[1]);
  const end = text.lastIndexOf('}');
  const comma = text.slice(text.indexOf('{') + 1, end).trim() === '' ? '' : ',';
  return `${text.slice(0, end)}${comma}${JSON.stringify(name)}:${value}${text.slice(end)}`;
}

/** The object with that key set in its `_meta`, which is created if missing or not an object. @param value JSON text */
export function withRawMeta(text: string, key: string, value: string): string {
  const meta = text.includes('"_meta"') ? rawMember(text, '_meta') : undefined;
  return withRawMember(
    text,
    '_meta',
    withRawMember(meta?.startsWith('{') === true ? meta : '{}', key, value),
  );
}

function spanOf(text: string, name: string): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== 123) return undefined;
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) !== 125) {
    const keyEnd = skipString(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    if (JSON.parse(text.slice(at, keyEnd)) === name) found = [start, end];
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === 44) at = skipSpace(text, at + 1);
  }
  return found;
}

/** The raw texts of a valid JSON array's items. */
export function splitArray(text: string): readonly string[] {
  const items: string[] = [];
  let at = skipSpace(text, text.indexOf('[') + 1);
  while (text.charCodeAt(at) !== 93) {
    const end = skipValue(text, at);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === 44) at = skipSpace(text, at + 1);
  }
  return items;
}

function skipValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 34) at = skipString(text, at);
    else if (code === 123 || code === 91) {
      depth += 1;
      at += 1;
    } else if (code === 125 || code === 93) {
      depth -= 1;
      at += 1;
    } else if (depth > 0) at += 1;
    else at = skipScalar(text, at);
    if (depth === 0) return at;
  }
}

/** @param at index of the opening quote @returns the index after the closing one */
export function skipString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 92) before -= 1;
    if ((end - 1 - before) % 2 === 0) return end + 1;
  }
}

function skipScalar(text: string, at: number): number {
  let end = at;
  while (end < text.length && !' \t\r\n,]}'.includes(text.charAt(end))) end += 1;
  return end;
}

function skipSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text.charCodeAt(end))) end += 1;
  return end;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
