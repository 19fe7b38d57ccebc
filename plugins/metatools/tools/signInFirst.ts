import type { Call, Scope } from 'pegboard';
import { GuardedServers } from '../../contracts/credentials.ts';
import { SignInOffers } from '../../contracts/signIns.ts';

/** For a tool that is not known: connects its server for the caller, or offers the sign-in that this takes. */
export async function signInFirst(
  scope: Scope<unknown>,
  name: string,
  { request, client, cancel }: Pick<Call, 'request' | 'client' | 'cancel'>,
): Promise<void> {
  const server = await scope.find(GuardedServers)?.lockedBehind(name, request);
  if (server !== undefined) await scope.find(SignInOffers)?.offer(server, request, { client, cancel });
}
