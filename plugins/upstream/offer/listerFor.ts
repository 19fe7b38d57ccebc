import type { InboundRequest } from 'pegboard';
import type { Connection } from '../server/connection.ts';
import type { Personal } from '../server/personal.ts';
import type { ServerCalls } from '../server/serverCalls.ts';

/** The connection whose lists the request sees: of a server that callers reach with credentials of their own, theirs; undefined if
 *  they have none. */
export function listerFor(
  connection: Connection,
  personal: Personal | undefined,
  request: InboundRequest,
): Pick<ServerCalls, 'status' | 'conversation'> | undefined {
  const key = connection.instances?.keyFor(request, personal?.credentialOf(request));
  if (personal?.isPersonal !== true || key === undefined) return connection;
  return connection.instances?.connectionOf(key);
}
