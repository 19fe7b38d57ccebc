import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, textOf } from './sources.ts';

const NAME = /\bit\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** Names of the tests in `<path below test/>.test.ts`, as written in its source; empty without the file. */
export function testNames(path: string): string[] {
  const file = `test/${path}.test.ts`;
  if (!existsSync(join(ROOT, file))) return [];
  return [...textOf(file).matchAll(NAME)].map((match) =>
    (match[1] ?? match[2] ?? match[3] ?? '').replaceAll("\\'", "'"),
  );
}
