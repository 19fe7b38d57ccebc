import type { CallResult, InboundRequest } from 'pegboard';
import type { RequestOptions } from '../client/rpc/pending.ts';
import type { RpcText } from '../client/rpc/rpcText.ts';
import { runFor } from '../own/runFor.ts';
import type { OfferingServer } from './offeringServer.ts';

export interface ServerCall {
  readonly what: string;
  readonly text: RpcText;
  readonly options: RequestOptions;
}

/** Calls a server for a request. @throws GatewayError UPSTREAM_* */
export function callFor(
  server: Pick<OfferingServer, 'callsFor' | 'secretsChanged'>,
  request: InboundRequest,
  { what, text, options }: ServerCall,
): Promise<CallResult> {
  const { client } = options;
  return runFor(server, { request, client }, (connection) => connection.call(what, text, options));
}
