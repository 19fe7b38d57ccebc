import { existsSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../test/', import.meta.url);
const NAME = /\bit\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** Names of the tests in `<path below test/>.test.ts`, as written in its source; empty without the file. */
export function testNames(path: string): string[] {
  const file = new URL(`${path}.test.ts`, FOLDER);
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(NAME)].map((match) =>
    (match[1] ?? match[2] ?? match[3] ?? '').replaceAll("\\'", "'"),
  );
}
