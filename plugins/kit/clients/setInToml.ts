import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from 'pegboard';
import { parse, stringify } from 'smol-toml';

/** Sets or removes one table of a TOML text, line by line: smol-toml cannot write comments and blank lines again.
 *  @param path keys of tables @param value undefined removes the table with those below it */
export function setInToml(text: string, path: readonly string[], value: JsonObject | undefined): string {
  const rest = without(text, path);
  if (value === undefined) return rest;
  const table = stringify(path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), value));
  const gap = /(^|\n\r?\n)$/.test(rest) ? '' : rest.endsWith('\n') ? '\n' : '\n\n';
  return `${rest}${gap}${table}`;
}

/** Drops the sections `[path…]` and `[path….x]`, and in the section of its parent the lines `name = …` and `name.x = …`. */
function without(text: string, path: readonly string[]): string {
  const kept: string[] = [];
  /** Comments above a header, or at the end, belong to what follows; blank lines before them to what is dropped. */
  let above: string[] = [];
  let section: readonly string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const header = line.trimStart().startsWith('[') ? keysIn(line) : undefined;
    section = header ?? section;
    const keys = header ?? [...section, ...(keysIn(line) ?? [])];
    const isDropped = startsWith(section, path) || (header === undefined && startsWith(keys, path));
    if (!isDropped) kept.push(...(header === undefined ? [] : above), line);
    const isAbove = above.length > 0 ? /^(#.*)?$/.test(line.trim()) : line.trim().startsWith('#');
    above = isDropped && header === undefined && isAbove ? [...above, line] : [];
  }
  return [...kept, ...above].join('');
}

/** The keys of a header or of `key = value`; undefined for any other line. */
function keysIn(line: string): readonly string[] | undefined {
  try {
    const keys: string[] = [];
    let value: unknown = parse(line.trim());
    while (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const [[key, inner] = []] = Object.entries(value);
      if (key === undefined) break;
      keys.push(key);
      value = inner;
    }
    return keys.length === 0 ? undefined : keys;
  } catch {
    // Part of a value of several lines.
    return undefined;
  }
}

function startsWith(keys: readonly string[], path: readonly string[]): boolean {
  return isDeepStrictEqual(keys.slice(0, path.length), path);
}
