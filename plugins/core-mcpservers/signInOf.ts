import type { InboundRequest, Scope } from 'pegboard';
import { SignInStatuses } from '../contracts/signIns.ts';
import type { SignInStatus } from '../contracts/signIns.ts';
import { sessionStatus } from '../kit/notices/stateInWords.ts';

/** The caller's sign-in at a server; undefined if it wants none, or no plugin signs callers in. @throws GatewayError STORE_UNREACHABLE */
export async function signInOf(
  server: string,
  request: InboundRequest,
  scope: Scope<unknown>,
): Promise<SignInStatus | undefined> {
  return scope.find(SignInStatuses)?.of(server, request);
}

/** The state of a server for a caller. A connection that all share is refused where each caller has one.
 *  @param state of its service. Source: requirement resource.auth */
export function statusFor(state: string, signIn: SignInStatus | undefined): string {
  const status = sessionStatus(state);
  if (signIn === undefined || status === 'unreachable' || status === 'failed') return status;
  return signIn.status;
}
