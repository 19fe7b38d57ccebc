import type { AuthorizationServer } from '../../contracts/oauth.ts';
import { sessionPrefix } from '../grants/record/holderOf.ts';
import type { SignInFlow } from './flowStore.ts';

/** Whether the sign-in at this gateway has ended that the grant would belong to: no request could use it any more.
 *  @throws GatewayError STORE_UNREACHABLE */
export async function hasAskerLeft(
  { asker: { session }, holder: { owner } }: Pick<SignInFlow, 'asker' | 'holder'>,
  server: AuthorizationServer | undefined,
): Promise<boolean> {
  if (session === undefined || server === undefined) return false;
  return owner.startsWith(sessionPrefix(session)) && server.hasEnded(session);
}
