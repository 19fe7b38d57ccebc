import type { Invocation } from 'pegboard';
import { progressTo } from '../progressTo.ts';
import { isUnfilled } from '../../kit/definitions/secretsApart.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';

/** Placeholders are shown this far. */
const SHOWN_CHARS = 60;

/** Says what is still to be done before it can start. @param where begins what to type for anything but secrets
 *  @returns the exit code */
export function sayUnfilled(
  name: string,
  apart: Apart,
  { invocation, where }: { readonly invocation: Invocation; readonly where: string },
): number {
  if (!isUnfilled(apart)) return 0;
  const say = progressTo(invocation);
  const texts = apart.unfilled.map((text) => text.slice(0, SHOWN_CHARS)).join(', ');
  say(`${name} is not started, because values of your own are missing:`);
  for (const file of apart.wanted) say(`  write its secret into ${file}`);
  if (texts !== '') say(`  replace ${texts}: ${where}`);
  say(`  then: pegboard start ${name}`);
  return 1;
}
