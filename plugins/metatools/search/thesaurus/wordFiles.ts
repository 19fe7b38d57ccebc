import { readFileSync } from 'node:fs';
import { packageFile } from 'pegboard';

/** Lines of a file of the thesaurus. */
export function wordLines(name: string): readonly string[] {
  const file = packageFile(`plugins/metatools/search/thesaurus/${name}.txt`);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

export function wordsIn(name: string): readonly string[] {
  return wordLines(name).flatMap((line) => line.split(' '));
}

/** Splits `a, b c > d e` into the words of a query and their meaning. */
export function sidesOf(line: string): readonly [string, string] {
  const [left = '', right = ''] = line.split(' > ');
  return [left, right];
}
