import { Failure } from './failure.ts';

/** The words of a line as a shell splits them: quotes group, a backslash outside single quotes takes the next character.
 *  @throws Failure for a quote that is not closed */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  const word = /((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)|(\S)/gs;
  for (const [, whole, stray] of line.matchAll(word)) {
    if (whole === undefined) throw new Failure(`${stray ?? ''} is not closed`);
    words.push(unquoted(whole));
  }
  return words;
}

function unquoted(word: string): string {
  return word.replace(
    /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
    (_, escaped?: string, double?: string, single?: string) =>
      escaped ?? double?.replace(/\\(.)/gs, '$1') ?? single ?? '',
  );
}
