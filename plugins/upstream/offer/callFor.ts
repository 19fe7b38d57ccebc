import { isGatewayError } from 'pegboard';
import type { CallResult, InboundRequest } from 'pegboard';
import type { RequestOptions } from '../rpc/pending.ts';
import type { RpcText } from '../rpc/rpcText.ts';
import type { OfferingServer } from './offeringServer.ts';

export interface ServerCall {
  readonly what: string;
  readonly text: RpcText;
  readonly options: RequestOptions;
}

/** Calls a server for a request. A server that turns out to want a sign-in gets the call once more, on the connection of its caller:
 *  with a 401 it says that the call has not run. @throws GatewayError UPSTREAM_* */
export async function callFor(
  server: Pick<OfferingServer, 'for'>,
  request: InboundRequest,
  { what, text, options }: ServerCall,
): Promise<CallResult> {
  const calls = server.for(request, options.client);
  try {
    return await calls.call(what, text, options);
  } catch (error) {
    const isRefused = isGatewayError(error) && error.code === 'UPSTREAM_AUTH_REQUIRED';
    if (!isRefused || calls.owner !== undefined) throw error;
    const own = server.for(request, options.client);
    if (own.owner === undefined) throw error;
    return own.call(what, text, options);
  }
}
