import { createInterface } from 'node:readline';
import type { Invocation } from 'pegboard';
import { Failure } from './failure.ts';

/** Asks on the terminal; only `y` and `yes` agree. @throws Failure without a terminal, and at Ctrl-C */
export async function confirm(invocation: Invocation, question: string): Promise<boolean> {
  const { terminal, options } = invocation;
  if (options['yes'] === true) return true;
  if (terminal.input.isTTY !== true)
    throw new Failure('standard input is not a terminal to ask on; add --yes to write, or --dry-run to look');
  return ask(invocation, question);
}

/** As confirm(), for what --yes does not answer. @throws Failure at Ctrl-C */
export async function ask({ terminal, cancel }: Invocation, question: string): Promise<boolean> {
  terminal.err(`${question} [y/N] `);
  const lines = createInterface({ input: terminal.input });
  const unlisten = cancel.onCancel(() => lines.close());
  try {
    const answer = await new Promise<string>((resolve) => {
      lines.once('line', resolve).once('close', () => resolve(''));
    });
    if (cancel.reason !== undefined) throw new Failure('interrupted; nothing was written');
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    unlisten();
    lines.close();
  }
}
