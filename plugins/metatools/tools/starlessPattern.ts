import type { Tool } from 'pegboard';

const MAX_NAMED = 5;

/** The hint for a pattern that matches nothing because it has no wildcard: what it matches with two.
 *  @param tools those that the other filters let through */
export function starlessPattern(
  pattern: string,
  tools: readonly Tool[],
  isCaseSensitive: boolean,
): string | undefined {
  if (/[*?[\]{}\\]/.test(pattern)) return undefined;
  const spelled = (text: string): string => (isCaseSensitive ? text : text.toLowerCase());
  const part = spelled(pattern);
  const names = tools.map(({ name }) => name).filter((name) => spelled(name).includes(part));
  if (names.length === 0) return undefined;
  const shown = names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `a pattern without * matches whole names only; ${JSON.stringify(`*${pattern}*`)} matches ${shown}${more}`;
}
