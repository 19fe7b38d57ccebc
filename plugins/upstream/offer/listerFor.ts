import type { InboundRequest } from 'pegboard';
import type { Server } from '../server/server.ts';
import type { ServerCalls } from '../connection/serverCalls.ts';

/** The connection whose lists the request sees: of a server that callers reach with credentials of their own, theirs; undefined if
 *  they have none. */
export function listerFor(
  { connection, personal, own }: Server,
  request: InboundRequest,
): Pick<ServerCalls, 'status' | 'conversation'> | undefined {
  const key = own.keyFor(request, personal.credentialOf(request));
  if (!personal.isPersonal || key === undefined) return connection;
  return own.connectionOf(key);
}
