import { readFileSync } from 'node:fs';
import { packageFile } from 'pegboard';

/** Lines of a word file of the thesaurus. */
export function wordLines(name: string): readonly string[] {
  const file = packageFile(`plugins/metatools/search/thesaurus/${name}.txt`);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

/** Lines of each list in lists.txt, by its name. */
export function wordLists(): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, string[]>();
  let list: string[] = [];
  for (const line of wordLines('lists')) {
    if (line.startsWith('== ')) lists.set(line.slice('== '.length), (list = []));
    else list.push(line);
  }
  return lists;
}

/** Splits `a, b c > d e` into the words of a query and their meaning. */
export function sidesOf(line: string): readonly [string, string] {
  const [left = '', right = ''] = line.split(' > ');
  return [left, right];
}
