import type { Tool } from 'pegboard';

const MAX_NAMED = 5;

/** The hint for a pattern that matches nothing because it has no wildcard: what it matches with two. */
export function starlessPattern(pattern: string | undefined, tools: readonly Tool[]): string | undefined {
  if (pattern === undefined || /[*?[\]{}\\]/.test(pattern)) return undefined;
  const part = pattern.toLowerCase();
  const names = tools.map(({ name }) => name).filter((name) => name.toLowerCase().includes(part));
  if (names.length === 0) return undefined;
  const shown = names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `a pattern without * matches whole names only; ${JSON.stringify(`*${pattern}*`)} matches ${shown}${more}`;
}
