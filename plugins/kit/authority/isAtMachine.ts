import { isLoopbackHost } from 'pegboard/net';
import type { InboundRequest } from 'pegboard';

/** What proxies add to requests that they forward. */
export const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/** Whether the request comes from this machine and its sender has not signed in: over standard input and output, or from loopback. A proxy on
 *  this machine forwards requests of others. */
export function isAtMachine(
  request: Pick<InboundRequest, 'transport' | 'caller' | 'remoteAddress' | 'header'>,
): boolean {
  const { transport, caller, remoteAddress } = request;
  if (caller !== undefined) return false;
  if (remoteAddress === undefined) return transport === 'stdio';
  return isLoopbackHost(remoteAddress) && FORWARDED.every((name) => request.header(name) === undefined);
}
