import { ToolTable } from 'pegboard';
import { GuardedServers, SignInOffers } from '../../auth-client/contract.ts';
import type { Call, Scope } from 'pegboard';

/** Offers the caller the sign-in without which a tool of that name is not known. @returns undefined if there is nothing to wait for */
export function signInFirst(
  scope: Scope<unknown>,
  name: string,
  { request, client, cancel }: Pick<Call, 'request' | 'client' | 'cancel'>,
): Promise<unknown> | undefined {
  const [offers] = scope.all(SignInOffers);
  if (offers === undefined || client === undefined) return undefined;
  if (scope.get(ToolTable).find(name, request) !== undefined) return undefined;
  const server = scope.all(GuardedServers)[0]?.lockedBehind(name, request);
  return server && offers.offer(server, request, { client, cancel });
}
