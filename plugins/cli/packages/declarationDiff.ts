import { canonicalJson } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { wordDiff, wordDiffText } from '../../kit/text/wordDiff.ts';

/** What a server declares, by the names of its tools. */
export type Declarations = ReadonlyMap<string, JsonObject>;

const PARTS = ['title', 'description', 'annotations', 'inputSchema', 'outputSchema'];

/** What a server would declare otherwise: a line for each tool that comes or goes, and for each part of one that changes, by words. */
export function declarationDiff(before: Declarations, after: Declarations): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [old, next] = [before.get(name), after.get(name)];
    if (old === undefined) return [`+ ${name}: ${wordDiffText(wordDiff('', textOf(next?.['description'])))}`];
    if (next === undefined) return [`- ${name}`];
    return PARTS.flatMap((part) => {
      const [one, other] = [textOf(old[part]), textOf(next[part])];
      return one === other ? [] : [`~ ${name} ${part}: ${wordDiffText(wordDiff(one, other))}`];
    });
  });
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  // The order of keys means nothing.
  return typeof value === 'string' ? value : canonicalJson(value);
}
