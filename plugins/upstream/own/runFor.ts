import { isGatewayError } from 'pegboard';
import type { Client, InboundRequest } from 'pegboard';

interface Use {
  readonly request: InboundRequest;
  readonly client: Pick<Client, 'capabilities'> | undefined;
}
/** What has a connection for each request. */
interface Finder<C> {
  callsFor(request: InboundRequest, client: Use['client']): C;
  /** Whether a server that has answered 401 is sent other secrets from now on. */
  secretsChanged?(): Promise<boolean>;
}
/** A connection; `owner` of its credential, absent without one. */
interface Owned {
  readonly owner?: string;
}

/** Runs on the connection of a request. A server that turns out to want a sign-in is asked once more, on the connection of the
 *  caller, and one whose secrets have changed with those: with a 401 it says that nothing has run. @throws GatewayError UPSTREAM_* */
export async function runFor<C extends Owned, T>(
  server: Finder<C>,
  { request, client }: Use,
  run: (connection: C) => Promise<T>,
): Promise<T> {
  const connection = server.callsFor(request, client);
  try {
    return await run(connection);
  } catch (error) {
    const isRefused = isGatewayError(error) && error.code === 'UPSTREAM_AUTH_REQUIRED';
    if (!isRefused || connection.owner !== undefined) throw error;
    const hasOthers = await server.secretsChanged?.();
    const own = server.callsFor(request, client);
    if (own.owner === undefined && hasOthers !== true) throw error;
    return run(own);
  }
}
