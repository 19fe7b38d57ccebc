import type { Invocation } from 'pegboard';
import type { NamedEndpoint } from '../endpointOf.ts';
import { trusting } from '../trusting.ts';
import { gatewayUnreachable } from '../gatewayUnreachable.ts';
import { wantsLocalToken } from './localToken.ts';

const TIMEOUT_MS = 30_000;
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** The response to a request without a token: where to sign in is in its header. @returns undefined if it is not a refusal,
 *  or one that no sign-in mends
 *  @throws Failure if the gateway does not answer */
export async function signInRefusal(
  invocation: Invocation,
  endpoint: NamedEndpoint,
): Promise<Response | undefined> {
  const init: RequestInit = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(PING),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  try {
    const answer = await fetch(endpoint.url, { ...(await trusting(invocation)), ...init });
    await answer.body?.cancel();
    return answer.status === 401 && !wantsLocalToken(answer) ? answer : undefined;
  } catch (error) {
    throw gatewayUnreachable(error, endpoint);
  }
}
