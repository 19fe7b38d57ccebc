import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { ask } from '../confirm.ts';
import { isUnfilled } from '../../kit/definitions/secretsApart.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';
import { Failure } from '../failure.ts';
import { progressTo } from '../progressTo.ts';
import { shownServer } from '../../kit/add/shownServer.ts';
import type { Wanted } from '../../kit/add/wantedServer.ts';

/** Shows what is not plain from the line, and asks before what others wrote is started; without a terminal to ask on, it waits.
 *  @throws Failure if the user declines */
export async function withLeave(wanted: Wanted, apart: Apart, invocation: Invocation): Promise<Wanted> {
  const { name, origin } = wanted;
  if (origin === 'words') return wanted;
  const { yes } = optionsOf<{ readonly yes?: boolean }>(invocation);
  const shown = shownServer(name, apart.spec);
  const isOpen = origin === 'others' && yes !== true && !isUnfilled(apart);
  if (!isOpen || invocation.terminal.input.isTTY !== true) {
    progressTo(invocation)(shown);
    return { ...wanted, isHeld: isOpen };
  }
  if (await ask(invocation, `${shown}\nAdd and start this?`)) return wanted;
  throw new Failure('nothing was added');
}

/** Says how to start what waits. @returns the exit code */
export function sayHeld(name: string, invocation: Invocation): number {
  progressTo(invocation)(
    `${name} is added and not started, as there is no terminal to ask on; start it with: pegboard start ${name} (--yes adds and starts it)`,
  );
  return 0;
}
