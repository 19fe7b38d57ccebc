import type { Command, Invocation } from 'pegboard';
import { COMMON_OPTIONS, optionsOf } from './commonOptions.ts';
import { Failure } from './failure.ts';
import { shielded } from '../kit/text/shownText.ts';

/** A verb that talks to a gateway: it has the common options, and a Failure ends it with a message instead of a stack. */
export function verb(own: Command & Required<Pick<Command, 'run'>>): Command {
  return {
    ...own,
    options: [...(own.options ?? []), ...COMMON_OPTIONS],
    run: (given) => guarded(own, { ...given, terminal: shielded(given.terminal) }),
  };
}

async function guarded(own: Required<Pick<Command, 'run'>>, invocation: Invocation): Promise<number> {
  try {
    if (!(Number(optionsOf(invocation).timeout) > 0))
      throw new Failure('--timeout must be a number of seconds');
    return await own.run(invocation);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    invocation.terminal.err(`pegboard: ${error.message}\n`);
    return error.exitCode;
  }
}
