import type { Invocation } from 'pegboard';
import { optionsOf } from './commonOptions.ts';

/** Writes lines about progress to standard error, except with --quiet. */
export function progressTo(invocation: Invocation): (line: string) => void {
  const { quiet } = optionsOf(invocation);
  return (line) => {
    if (quiet !== true) invocation.terminal.err(`${line}\n`);
  };
}
