import { GatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { SignInList } from '../../contracts/oauth.ts';
import type { ListedSignIn } from '../../contracts/oauth.ts';
import { ownerIn } from '../data/ownerIn.ts';
import { actAsOperator } from '../data/actAsOperator.ts';
import { checkAuthority } from '../web/checkSender.ts';
import type { Action } from '../web/definePage.ts';
import { counted } from '../../kit/pages/words.ts';

interface Deed {
  readonly path: string;
  /** As the audit trail names it. */
  readonly name: string;
  readonly run: (list: SignInList, one: ListedSignIn) => Promise<string>;
}

/** Ends sign-ins of people at this gateway: those of others take `define`. */
export function signInActions(scope: Scope<unknown>): readonly Action[] {
  const deeds: readonly Deed[] = [
    { path: '/sign-ins/:id/end', name: 'admin_sign_in_end', run: end },
    { path: '/sign-ins/:id/end-all', name: 'admin_sign_ins_end_all', run: endAll },
  ];
  return deeds.map(({ path, name, run }) => ({
    method: 'POST',
    path,
    takes: 'use',
    run: async (visit) => {
      const { request } = visit;
      const { id = '' } = visit.params;
      const own = async (): Promise<string> => {
        const list = scope.get(SignInList);
        const found = (await list.of(ownerIn(visit))).find((one) => one.id === id);
        if (found === undefined) throw gone();
        const { visitor } = visit;
        const isTheirs =
          visitor !== undefined && (await list.of(visitor.caller)).some((one) => one.id === id);
        if (visitor !== undefined && !isTheirs) checkAuthority(visitor, 'define');
        return run(list, found);
      };
      const act = { name, args: { signIn: id }, run: own };
      return { message: await actAsOperator(scope, act, request), next: '/sign-ins' };
    },
  }));
}

async function end(list: SignInList, { id }: ListedSignIn): Promise<string> {
  if (await list.end(id)) return `sign-in ${id} was ended`;
  throw gone();
}

/** Ends all sign-ins of the person of that one. */
async function endAll(list: SignInList, one: ListedSignIn): Promise<string> {
  const all = await list.of(one);
  for (const signIn of all) await list.end(signIn.id);
  return `${counted(all.length, 'sign-in')} of ${one.person ?? one.subject} ended`;
}

function gone(): GatewayError {
  return new GatewayError(
    'REQUEST_NOT_FOUND',
    'there is no such sign-in any more; open the page of sign-ins again',
  );
}
