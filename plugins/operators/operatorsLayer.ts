import { isOffer } from 'pegboard';
import type { DecisionLayer, Item, Verdict } from 'pegboard';
import { ADMIN } from '../kit/authority/adminPages.ts';
import { WHO_OPERATES, authorityTaken, suffices } from '../kit/authority/authority.ts';
import type { Authority, Operators } from '../contracts/operators.ts';

const CORE = 'core_';

/** Hides the core tools that take more than the caller holds.
 *  @param storeJudges whether the store decides who writes definitions */
export function operatorsLayer(operators: Operators, storeJudges: () => boolean): DecisionLayer {
  const isLeftToStore = (item: Item | undefined): boolean =>
    item !== undefined && !isOffer(item) && item.writesThroughStore === true && storeJudges();
  return {
    layer: 'operators',
    order: 30,
    judge: (name, item, request) => {
      const taken = takenBy(name, item);
      if (taken === 'use') return undefined;
      if (isLeftToStore(item)) return LEFT_TO_STORE;
      const held = operators.authorityOf(request);
      return suffices(held, taken) ? allowed(taken) : refused(name, taken, held);
    },
    // Tools of servers take no authority.
    basis: () => '',
    // The admin pages explain what a person is refused; who operates may learn of what only those may do who define.
    hides: (item, request) =>
      request.transport !== ADMIN &&
      takenBy(item.name, item) !== 'use' &&
      !isLeftToStore(item) &&
      operators.authorityOf(request) === 'use',
  };
}

const LEFT_TO_STORE: Verdict = {
  layer: 'operators',
  allow: true,
  reason: "its class is define, and the store decides with the caller's own permissions",
};

/** A core tool that does not exist is answered as one that the caller may not know. */
function takenBy(name: string, item: Item | undefined): Authority {
  if (item === undefined) return name.startsWith(CORE) ? 'define' : 'use';
  return isOffer(item) ? 'use' : authorityTaken(item);
}

function allowed(taken: Authority): Verdict {
  return { layer: 'operators', allow: true, reason: `its class is ${taken}, and this caller may ${taken}` };
}

function refused(name: string, taken: Authority, held: Authority): Verdict {
  // Who operates sees more; for others the answer is that for an unknown name.
  const reason =
    held === 'use'
      ? `tool ${name} not found among those of this caller; core tools of the classes operate and define are for operators`
      : `tool ${name} is of the class ${taken}, and this caller may only ${held}`;
  return { layer: 'operators', allow: false, code: 'TOOL_NOT_FOUND', reason, remedy: WHO_OPERATES };
}
