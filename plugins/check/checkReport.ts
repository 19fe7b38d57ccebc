import { isError, issueText } from 'pegboard';
import type { Issue, Resource } from 'pegboard';

/** The result of `pegboard check`. */
export interface CheckReport {
  readonly directory: string;
  readonly issues: readonly Issue[];
  /** Names of the plugins that would run, and of the built-in ones that would not. */
  readonly plugins: readonly string[];
  readonly off: readonly string[];
  /** Definitions without errors. */
  readonly definitions: readonly Resource[];
}

/** One line per issue, the verdict, then the plugins and definitions that would run. */
export function checkText({ directory, issues, plugins, off, definitions }: CheckReport): string {
  const kinds = [...new Set(definitions.map(({ kind }) => kind))].sort();
  const lists: (readonly [string, readonly string[]])[] = [
    ['plugins', plugins],
    ['off', off],
    ...kinds.map(
      (kind) => [kind, definitions.filter((one) => one.kind === kind).map(({ name }) => name)] as const,
    ),
  ];
  const width = Math.max(...lists.map(([what]) => what.length));
  const told = lists.filter(([, names]) => names.length > 0);
  return [
    ...issues.map(issueText),
    `${directory}: ${verdictOf(issues)}`,
    ...told.map(([what, names]) => `  ${what.padEnd(width)}  ${[...names].sort().join(', ')}`),
    '',
  ].join('\n');
}

export function checkJson({ issues, plugins, off, definitions }: CheckReport): string {
  const report = {
    valid: !issues.some(isError),
    issues,
    plugins,
    off,
    definitions: definitions.map(({ kind, name, origin }) => ({ kind, name, file: origin.locate([]).file })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function verdictOf(issues: readonly Issue[]): string {
  const errors = issues.filter(isError).length;
  const counts = [countOf(errors, 'error'), countOf(issues.length - errors, 'warning')].filter(
    (one) => one !== '',
  );
  return [errors === 0 ? 'valid' : 'not valid', ...counts].join(', ');
}

function countOf(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
}
