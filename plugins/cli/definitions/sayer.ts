import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';

/** Writes lines about progress to standard error, nothing with --quiet. */
export function sayer(invocation: Invocation): (words: string) => void {
  const { quiet } = optionsOf(invocation);
  return (words) => {
    if (quiet !== true) invocation.terminal.err(`${words}\n`);
  };
}
